/*
 * Fuzz target: any bytes as machine code of any chip. Decoding must neither crash nor lose or invent a byte, and every
 * instruction it makes must be whole.
 */
#include "device/emulator/code.h"
#include "tests/fuzz/fuzz_input.h"
#include "tests/fuzz/must.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

/* Instructions stand one after another, each with a text and a handler, and branches lead to an instruction or nowhere. */
static void check_instructions(const struct emulated_code *code, size_t code_bytes)
{
    size_t at = 0;
    for (uint32_t i = 0; i < code->n_instructions; i++) {
        const struct instruction *in = &code->instructions[i];
        must(in->offset_bytes == at && in->size_bytes >= 4 && in->size_bytes % 4 == 0);
        must(in->run && in->text && in->n_dst <= MAX_DESTINATIONS && in->n_src <= MAX_SOURCES);
        must(in->target == UINT32_MAX || in->target < code->n_instructions);
        must(code->index_of_dword[at / 4] == i);
        at += in->size_bytes;
    }
    must(at <= code_bytes && code_bytes - at < 4);
    must(code->instructions[code->n_instructions].run == instruction_off_end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes)
{
    struct fuzz_input input;
    struct emulated_code code;
    struct error error;
    if (!fuzz_input_read(data, n_bytes, &input))
        return 0;
    if (code_decode(input.chip, input.n_lanes, input.code, input.code_bytes, 0, input.code_bytes, &code, &error)) {
        check_instructions(&code, input.code_bytes);
        code_free(&code);
    }
    fuzz_input_free(&input);
    return 0;
}
