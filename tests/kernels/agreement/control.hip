/* Control flow, calls, private memory, tables, pointers. */
#include "tests/kernels/agreement/agreement.h"

NOINLINE uint32_t fibonacci(uint32_t k)
{
    return k < 2 ? k : fibonacci(k - 1) + fibonacci(k - 2);
}

KERNEL(recursion)
{
    int i = item();
    if (i < n)
        out[i] = fibonacci(in[i] % 13);
}

#ifdef __HIP__
static __device__ uint32_t is_odd(uint32_t k, uint32_t salt);
#else
static uint32_t is_odd(uint32_t k, uint32_t salt);
#endif

NOINLINE uint32_t is_even(uint32_t k, uint32_t salt)
{
    return k == 0 ? salt : is_odd(k - 1, salt * 3 + 1);
}

NOINLINE uint32_t is_odd(uint32_t k, uint32_t salt)
{
    return k == 0 ? ~salt : is_even(k - 1, salt ^ k);
}

KERNEL(mutual_recursion)
{
    int i = item();
    if (i < n)
        out[i] = is_even(in[2 * i] % 20, in[2 * i + 1]);
}

CALLABLE uint32_t add_one(uint32_t a)
{
    return a + 1;
}

CALLABLE uint32_t times_five(uint32_t a)
{
    return a * 5;
}

CALLABLE uint32_t turned(uint32_t a)
{
    return a << 9 | a >> 23;
}

CALLABLE uint32_t inverted(uint32_t a)
{
    return ~a;
}

/* Lanes of one wave call different functions. */
KERNEL(function_pointers)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t value = in[2 * i], choice = in[2 * i + 1];
    for (int k = 0; k < 8; k++) {
        uint32_t (*step)(uint32_t) = choice & 1 ? (choice & 2 ? add_one : times_five) : (choice & 2 ? turned : inverted);
        value = step(value);
        choice >>= 2;
    }
    out[i] = value;
}

struct triple {
    uint32_t a;
    float b;
    uint64_t c;
};

NOINLINE struct triple combined(struct triple x, struct triple y, uint32_t k0, uint32_t k1, uint32_t k2, uint32_t k3,
                                const uint32_t *words, int at)
{
    struct triple r;
    r.a = x.a * k0 + y.a * k1;
    r.b = x.b + y.b * (float)(k2 & 7);
    r.c = x.c ^ y.c << (k3 & 31) ^ words[at];
    return r;
}

/* Structures by value, in registers and on the stack. */
KERNEL(structure_arguments)
{
    int i = item();
    if (i >= n)
        return;
    const uint32_t *w = in + 8 * i;
    struct triple x = {w[0], moderate(w[1]), as_long(w[2], w[3])}, y = {w[4], moderate(w[5]), as_long(w[6], w[7])};
    struct triple r = combined(x, y, w[0], w[1], w[2], w[3], w, (int)(w[4] & 7));
    r = combined(r, x, 3, w[7], 5, 6, w, (int)(r.a & 7));
    out[4 * i] = r.a;
    out[4 * i + 1] = bits_of(r.b);
    put64(out + 4 * i + 2, r.c);
}

DEVICE uint32_t dense_switch(uint32_t op, uint32_t a, uint32_t b)
{
    switch (op) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b;
    case 3: return a / (b | 1);
    case 4: return a & b;
    case 5: return a | b;
    case 6: return a ^ b;
    case 7: return a << (b & 31);
    case 8: return a >> (b & 31);
    case 9: return (uint32_t)((int32_t)a >> (b & 31));
    case 10: return a < b;
    case 11: return ~a + b;
    default: return a;
    }
}

KERNEL(switch_dense)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t value = in[4 * i];
    for (int k = 0; k < 8; k++)
        value = dense_switch(in[4 * i + 1] >> 4 * k & 15, value, in[4 * i + 2] + (uint32_t)k);
    out[i] = value;
}

KERNEL(switch_sparse)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t result;
    switch (in[i] % 5000) {
    case 0 ... 99: result = 1; break;
    case 100: result = 17; break;
    case 777: result = 3; break;
    case 1000 ... 2999: result = in[i] % 7; break;
    case 4242: result = 99; break;
    case 4243: result = 98; break;
    default: result = in[i] / 3; break;
    }
    out[i] = result;
}

/* Loops in loops, left early and gone on with. */
KERNEL(nested_loops)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t limit = in[2 * i] % 23, skip = in[2 * i + 1] % 5 + 2, sum = 0;
    for (uint32_t a = 0; a < limit; a++) {
        if (a % skip == 1)
            continue;
        for (uint32_t b = a;; b += skip) {
            if (b > limit)
                break;
            for (uint32_t c = b; c > 0; c /= 2) {
                sum += a * b ^ c;
                if (sum % 97 == 0)
                    goto next;
            }
        }
    next:
        if (sum > 100000)
            return (void)(out[i] = sum + a);
    }
    out[i] = sum;
}

KERNEL(long_collatz)
{
    int i = item();
    if (i >= n)
        return;
    uint64_t v = in[i] % 100000 + 1, peak = v;
    uint32_t steps = 0;
    for (; v != 1 && steps < 400; steps++) {
        v = v & 1 ? 3 * v + 1 : v >> 1;
        peak = v > peak ? v : peak;
    }
    out[3 * i] = steps;
    put64(out + 3 * i + 1, peak);
}

/* A private array at indices that only the data knows. */
KERNEL(private_histogram)
{
    int i = item();
    if (i >= n)
        return;
    uint8_t counts[32] = {0};
    uint16_t last[16] = {0};
    for (int k = 0; k < 16; k++) {
        uint32_t x = in[16 * i + k];
        counts[x & 31]++;
        counts[x >> 5 & 31] += 2;
        last[x >> 12 & 15] = (uint16_t)(x ^ (uint32_t)k);
    }
    uint32_t sum = 0;
    for (int k = 0; k < 32; k++)
        sum = sum * 33 + counts[(k * 7) & 31] + last[k & 15];
    out[i] = sum;
}

KERNEL(private_heap)
{
    int i = item();
    if (i >= n)
        return;
    uint64_t heap[24];
    int count = 0;
    for (int k = 0; k < 24; k++) {
        uint64_t key = as_long(in[24 * i + k] * 2654435761u, in[24 * i + k]);
        int at = count++;
        for (; at > 0 && heap[(at - 1) / 2] > key; at = (at - 1) / 2)
            heap[at] = heap[(at - 1) / 2];
        heap[at] = key;
    }
    uint64_t sum = 0;
    while (count > 0) {
        sum = sum * 3 + heap[0];
        uint64_t key = heap[--count];
        int at = 0;
        for (int child; (child = 2 * at + 1) < count; at = child) {
            child += child + 1 < count && heap[child + 1] < heap[child];
            if (heap[child] >= key)
                break;
            heap[at] = heap[child];
        }
        heap[at] = key;
    }
    put64(out + 2 * i, sum);
}

/* Quicksort with its own stack of ranges. */
KERNEL(private_quicksort)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t a[24];
    int stack[32], top = 0;
    for (int k = 0; k < 24; k++)
        a[k] = in[24 * i + k];
    stack[top++] = 0;
    stack[top++] = 23;
    while (top) {
        int high = stack[--top], low = stack[--top], store = low;
        uint32_t pivot = a[high];
        for (int k = low; k < high; k++)
            if (a[k] < pivot) {
                uint32_t t = a[k];
                a[k] = a[store];
                a[store++] = t;
            }
        a[high] = a[store];
        a[store] = pivot;
        if (store - low > 1) {
            stack[top++] = low;
            stack[top++] = store - 1;
        }
        if (high - store > 1) {
            stack[top++] = store + 1;
            stack[top++] = high;
        }
    }
    for (int k = 0; k < 24; k++)
        out[24 * i + k] = a[k];
}

DEVICE uint32_t minimum(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

KERNEL(edit_distance)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t row[17];
    for (uint32_t k = 0; k <= 16; k++)
        row[k] = k;
    for (int r = 0; r < 16; r++) {
        uint32_t diagonal = row[0], letter = in[2 * i] >> 2 * r & 3;
        row[0] = (uint32_t)r + 1;
        for (int k = 1; k <= 16; k++) {
            uint32_t above = row[k], cost = letter != (in[2 * i + 1] >> 2 * (k - 1) & 3);
            row[k] = minimum(minimum(above + 1, row[k - 1] + 1), diagonal + cost);
            diagonal = above;
        }
    }
    out[i] = row[16];
}

KERNEL(knapsack)
{
    int i = item();
    if (i >= n)
        return;
    uint16_t best[64] = {0};
    for (int k = 0; k < 6; k++) {
        uint32_t weight = in[6 * i + k] % 20 + 1, value = in[6 * i + k] >> 8 & 255;
        for (int room = 63; room >= (int)weight; room--) {
            uint32_t with = best[room - (int)weight] + value;
            best[room] = (uint16_t)(with > best[room] ? with : best[room]);
        }
    }
    out[i] = best[63] | (uint32_t)best[in[6 * i] & 63] << 16;
}

KERNEL(queens)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t columns[8], left[8], right[8], open[8], size = 4 + in[i] % 4, all = (1u << size) - 1, found = 0;
    int depth = 0;
    columns[0] = left[0] = right[0] = 0;
    open[0] = all;
    while (depth >= 0) {
        if (!open[depth]) {
            depth--;
            continue;
        }
        uint32_t place = open[depth] & (0u - open[depth]);
        open[depth] ^= place;
        if (depth == (int)size - 1) {
            found++;
            continue;
        }
        columns[depth + 1] = columns[depth] | place;
        left[depth + 1] = (left[depth] | place) << 1;
        right[depth + 1] = (right[depth] | place) >> 1;
        depth++;
        open[depth] = all & ~(columns[depth] | left[depth] | right[depth]);
    }
    out[i] = found;
}

/* A list in global memory, followed by index. */
KERNEL(linked_lists)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t at = (uint32_t)i, sum = 0;
    for (int k = 0; k < 50; k++) {
        uint32_t word = in[at];
        sum = sum * 5 + word;
        at = (word >> 3) % (uint32_t)n;
    }
    out[i] = sum;
}

KERNEL(binary_search)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t key = in[i] % 40000, low = 0, high = 256;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (middle * middle < key)
            low = middle + 1;
        else
            high = middle;
    }
    out[i] = low;
}

CONSTANT uint8_t kinds[16] = {0, 1, 1, 2, 3, 3, 3, 2, 1, 0, 4, 4, 1, 2, 3, 0};
CONSTANT uint8_t transitions[5][5] = {{0, 1, 2, 3, 4}, {1, 1, 0, 2, 3}, {4, 2, 2, 1, 0}, {3, 0, 4, 3, 1}, {2, 4, 3, 0, 2}};

KERNEL(state_machine)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t state = 0, trace = 0;
    for (int k = 0; k < 32; k++) {
        uint32_t symbol = in[4 * i + k / 8] >> 4 * (k % 8) & 15;
        state = transitions[state][kinds[symbol]];
        trace = trace * 7 + state;
    }
    out[i] = trace;
}

/* Where a needle of up to four bytes first lies in sixteen, byte by byte. */
KERNEL(text_search)
{
    int i = item();
    if (i >= n)
        return;
    const uint8_t *text = (const uint8_t *)(in + 5 * i), *needle = text + 16;
    uint32_t length = in[5 * i] % 2 + 1, found = 99;
    for (uint32_t at = 0; at + length <= 16; at++) {
        uint32_t k = 0;
        while (k < length && (text[at + k] & 3) == (needle[k] & 3))
            k++;
        if (k == length) {
            found = at;
            break;
        }
    }
    out[i] = found;
}

/* A stack machine whose program differs from lane to lane. */
KERNEL(stack_machine)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t stack[20], program = in[2 * i], constant = in[2 * i + 1];
    int top = 0;
    stack[top++] = (uint32_t)i;
    for (int k = 0; k < 16; k++) {
        uint32_t op = program >> 2 * k & 3;
        if (op == 0 || top < 2)
            stack[top++] = constant + (uint32_t)k;
        else if (op == 1)
            top--, stack[top - 1] += stack[top];
        else if (op == 2)
            top--, stack[top - 1] ^= stack[top] * 3;
        else
            stack[top] = stack[top / 2], top++;
    }
    uint32_t sum = (uint32_t)top;
    while (top)
        sum = sum * 31 + stack[--top];
    out[i] = sum;
}

/* Work-items leave at different points; those that stay agree on what is left. */
KERNEL(early_returns)
{
    int i = item();
    if (i >= n)
        return;
    uint32_t x = in[i];
    out[i] = 1;
    if (x % 3 == 0)
        return;
    out[i] = 2;
    for (int k = 0; k < 10; k++) {
        x = x * 1103515245u + 12345u;
        if (x >> 28 == 7) {
            out[i] = x;
            return;
        }
    }
    out[i] = 3;
}

/* Addresses and sizes in 64 bits, loads of every width at byte offsets. */
KERNEL(byte_addresses)
{
    int i = item();
    if (i >= n)
        return;
    const uint8_t *bytes = (const uint8_t *)(in + 4 * i);
    uint16_t half;
    uint32_t word;
    uint64_t wide;
    __builtin_memcpy(&half, bytes + 1, 2);
    __builtin_memcpy(&word, bytes + 3, 4);
    __builtin_memcpy(&wide, bytes + 5, 8);
    uint8_t *o = (uint8_t *)(out + 5 * i);
    __builtin_memcpy(o + 12, &in[4 * i], 4);
    __builtin_memcpy(o, &wide, 8);
    __builtin_memcpy(o + 8, &word, 4);
    __builtin_memcpy(o + 16, &half, 2);
    o[18] = (uint8_t)(int8_t)bytes[15];
    o[19] = (uint8_t)((int8_t)bytes[14] >> 1);
}
