/* The histogram of ratios and the error map, on bounds and outputs that are made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <string.h>

#include <cmocka.h>

#include "contract/error_map.h"

enum { ROWS = 32, COLUMNS = 128 };

/* A tensor of ROWS x COLUMNS whose reference is 0 within 1 everywhere, and outputs 0: what is written to data is the ratio.
 */
struct picture {
    struct host_case host;
    struct bound bounds[ROWS * COLUMNS];
    float data[ROWS * COLUMNS];
};

static void open_picture(struct picture *p)
{
    memset(p, 0, sizeof *p);
    p->host.plan.n_tensors = 1;
    p->host.plan.tensor[0] =
        (struct reg_tensor){.name = "y", .format = FORMAT_F32, .role = REG_OUTPUT, .rows = ROWS, .columns = COLUMNS};
    for (int i = 0; i < ROWS * COLUMNS; i++)
        p->bounds[i] = (struct bound){0, 1};
    p->host.bounds[0] = p->bounds;
}

static struct verdict measure(const struct picture *p)
{
    struct outputs outputs = {.data = {p->data}};
    struct verdict v = {.worst.tensor = "y"};
    error_map_measure(&p->host, &outputs, &v);
    return v;
}

/* A ratio that is a power of two closes its bin; just above it the next one begins. */
static void bins_are_powers_of_two(void **state)
{
    (void)state;
    assert_int_equal(ratio_bin(0), 0);
    assert_int_equal(ratio_bin(1), RATIO_BIN_BOUND);
    assert_int_equal(ratio_bin(nextafter(1, 2)), RATIO_BIN_BOUND + 1);
    for (int e = -12; e <= 4; e++) {
        assert_int_equal(ratio_bin(ldexp(1, e)), RATIO_BIN_BOUND + e);
        assert_int_equal(ratio_bin(ldexp(1.5, e)), RATIO_BIN_BOUND + e + 1);
    }
    assert_int_equal(ratio_bin(0x1p-1000), 1);
    assert_int_equal(ratio_bin(0x1p1000), RATIO_BIN_INFINITE - 1);
    assert_int_equal(ratio_bin(INFINITY), RATIO_BIN_INFINITE);
}

static void every_decided_element_is_in_one_bin(void **state)
{
    (void)state;
    static struct picture p;
    open_picture(&p);
    p.data[0] = 1;
    p.data[1] = 3;
    p.data[2] = NAN;
    p.bounds[3].error = INFINITY;
    struct verdict v = measure(&p);
    assert_int_equal(v.ratio_histogram[RATIO_BIN_BOUND], 1);
    assert_int_equal(v.ratio_histogram[RATIO_BIN_BOUND + 2], 1);
    assert_int_equal(v.ratio_histogram[RATIO_BIN_INFINITE], 1);
    assert_int_equal(v.ratio_histogram[0], ROWS * COLUMNS - 4);
}

/* Each cell of the map stands for 2 x 4 elements here: the worst one gives its letter. */
static void a_cell_shows_the_worst_of_its_elements(void **state)
{
    (void)state;
    static struct picture p;
    open_picture(&p);
    p.data[2 * COLUMNS + 4] = 0.25f;
    p.data[3 * COLUMNS + 7] = 2;
    p.data[(ROWS - 1) * COLUMNS + COLUMNS - 1] = 1;
    struct verdict v = measure(&p);
    assert_string_equal(v.error_map.tensor, "y");
    assert_int_equal(v.error_map.rows, ROWS);
    assert_int_equal(v.error_map.columns, COLUMNS);
    for (int row = 0; row < ERROR_MAP_ROWS; row++)
        for (int column = 0; column < ERROR_MAP_COLUMNS; column++) {
            int bin = row == 1 && column == 1 ? RATIO_BIN_BOUND + 1 : 0;
            if (row == ERROR_MAP_ROWS - 1 && column == ERROR_MAP_COLUMNS - 1)
                bin = RATIO_BIN_BOUND;
            assert_int_equal(v.error_map.cell[row][column], ERROR_MAP_FIRST + bin);
        }
}

/* A tensor smaller than the map has one cell an element. */
static void a_small_tensor_is_shown_whole(void **state)
{
    (void)state;
    static struct picture p;
    open_picture(&p);
    p.host.plan.tensor[0].rows = 3;
    p.host.plan.tensor[0].columns = 5;
    for (int i = 0; i < 15; i++)
        p.data[i] = ldexpf(1, i - 14);
    struct verdict v = measure(&p);
    assert_int_equal(v.error_map.n_rows, 3);
    assert_int_equal(v.error_map.n_columns, 5);
    assert_string_equal(v.error_map.cell[0], "bbbcd");
    assert_string_equal(v.error_map.cell[2], "jklmn");
}

/* Overflow straddles the bound of a whole cell: nothing is claimed there. */
static void undecided_elements_are_in_no_bin(void **state)
{
    (void)state;
    static struct picture p;
    open_picture(&p);
    for (int i = 0; i < 8; i++)
        p.bounds[i / 4 * COLUMNS + i % 4].error = INFINITY;
    struct verdict v = measure(&p);
    assert_int_equal(v.ratio_histogram[0], ROWS * COLUMNS - 8);
    assert_int_equal(v.error_map.cell[0][0], ERROR_MAP_UNDECIDED);
    assert_int_equal(v.error_map.cell[0][1], ERROR_MAP_FIRST);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bins_are_powers_of_two),
        cmocka_unit_test(every_decided_element_is_in_one_bin),
        cmocka_unit_test(a_cell_shows_the_worst_of_its_elements),
        cmocka_unit_test(a_small_tensor_is_shown_whole),
        cmocka_unit_test(undecided_elements_are_in_no_bin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
