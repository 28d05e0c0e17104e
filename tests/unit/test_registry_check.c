/* A registration or control that contradicts itself is refused with one line that names it; each rule is broken once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "commands/chip_lists.h"
#include "tests/support/fake_kernels.h"

/* A registry of one registration and one control, both free to be spoilt. */
struct spoilt {
    struct registration registration;
    struct control control;
    struct reg_shape shapes[3];
    struct reg_known_finding known;
    struct reg_weights weights;
    struct reg_file_tensor file_tensor;
    struct reg_bytes bytes[2];
    struct reg_window window;
    struct reg_launcher launcher;
    struct reg_budget budget;
};

typedef void spoil(struct spoilt *s);

static struct spoilt sound(void)
{
    struct spoilt s = {.registration = fake_registration("dot"), .control = fake_controls[0]};
    memcpy(s.shapes, s.registration.shapes, sizeof s.shapes);
    s.known = (struct reg_known_finding){GATE_BOUND, "someone", "a reason", "https://example.org/1", "2026-12-31"};
    return s;
}

/* Its byte contracts, to be spoilt. */
static struct reg_bytes *bytes_of(struct spoilt *s)
{
    memcpy(s->bytes, fake_bytes, sizeof s->bytes);
    s->registration.bytes = s->bytes;
    s->registration.n_bytes = n_fake_bytes;
    return s->bytes;
}

static bool check(struct spoilt *s, struct error *error)
{
    const struct registration *registrations[] = {&s->registration};
    const struct control *controls[] = {&s->control};
    return registry_check(&(struct registry){registrations, 1, controls, 1}, error);
}

static bool any_shape(const struct registration *r, const struct reg_file *file, int64_t rows, int64_t dim[REG_MAX_DIMS],
                      struct error *error)
{
    (void)r, (void)file, (void)rows, (void)dim, (void)error;
    return true;
}

static void no_name(struct spoilt *s)
{
    s->registration.name = "";
}
static void no_depth(struct spoilt *s)
{
    s->registration.depth = NULL;
}
static void depth_and_note(struct spoilt *s)
{
    s->registration.depth_note = "it adds nothing";
}
static void no_part(const struct reg_case *c, int tensor, struct depth *depth)
{
    (void)c, (void)tensor, (void)depth;
}
static void depth_of_no_part(struct spoilt *s)
{
    s->registration.depth = no_part;
}
static void part_of_less_than_none(const struct reg_case *c, int tensor, struct depth *depth)
{
    (void)c, (void)tensor;
    depth_add(depth, -1, "the waves but one");
}
static void negative_depth(struct spoilt *s)
{
    s->registration.depth = part_of_less_than_none;
}
static void no_shapes(struct spoilt *s)
{
    s->registration.n_shapes = 0;
}
static void duplicate_label(struct spoilt *s)
{
    s->shapes[1].label = s->shapes[0].label;
    s->registration.shapes = s->shapes;
}
static void refused_shape(struct spoilt *s)
{
    s->shapes[2].dim[1] = 2000;
    s->registration.shapes = s->shapes;
}
static void no_one_row_shape(struct spoilt *s)
{
    s->registration.shapes++;
    s->registration.n_shapes--;
}
static void only_even_widths(struct spoilt *s)
{
    s->shapes[0].dim[1] = 34;
    s->registration.shapes = s->shapes;
}
static void no_exact_and_no_note(struct spoilt *s)
{
    s->registration.exact = NULL;
}
static void blind_without_reason(struct spoilt *s)
{
    s->registration.blind_teeth = "sum_fp16";
}
static void missing_sibling(struct spoilt *s)
{
    s->registration.exact_sibling = "nobody";
}
static void weights_of_no_shape(struct spoilt *s)
{
    static const struct reg_file_tensor tensors[] = {{.suffix = "w", .dtype = "F32"}};
    s->weights = (struct reg_weights){.tensors = tensors, .n_tensors = 1};
    s->registration.weights = &s->weights;
}
/* A spoilt file tensor beside a shape function. */
static void weights_of(struct spoilt *s, struct reg_file_tensor tensor)
{
    s->file_tensor = tensor;
    s->weights = (struct reg_weights){.tensors = &s->file_tensor, .n_tensors = 1, .shape = any_shape};
    s->registration.weights = &s->weights;
}
static void weights_of_nothing(struct spoilt *s)
{
    weights_of(s, (struct reg_file_tensor){.suffix = "w", .dtype = "F32"});
    s->weights.n_tensors = 0;
}
static void file_tensor_of_no_suffix(struct spoilt *s)
{
    weights_of(s, (struct reg_file_tensor){.dtype = "F32"});
}
static void file_tensor_of_no_dtype(struct spoilt *s)
{
    weights_of(s, (struct reg_file_tensor){.suffix = "w"});
}
static void file_tensor_of_five_dimensions(struct spoilt *s)
{
    weights_of(s, (struct reg_file_tensor){.suffix = "w", .dtype = "F32", .n_dims = 5});
}
static void file_tensor_refused_and_used(struct spoilt *s)
{
    weights_of(s, (struct reg_file_tensor){.suffix = "w", .refused = "a reason", .input = "w"});
}
static void budget_of(struct spoilt *s, struct reg_budget budget)
{
    s->budget = budget;
    s->registration.budgets = &s->budget;
    s->registration.n_budgets = 1;
}
static void budget_of_nothing(struct spoilt *s)
{
    budget_of(s, (struct reg_budget){.chips = "gfx1151"});
}
static void budget_for_another_chip(struct spoilt *s)
{
    s->registration.chips = "gfx1151,gfx90a";
    budget_of(s, (struct reg_budget){.chips = "gfx90a,gfx942", .no_scratch = true});
}
static void budget_for_an_empty_name(struct spoilt *s)
{
    budget_of(s, (struct reg_budget){.chips = "gfx90a,,gfx942", .no_scratch = true});
}
static void waves_of_48(struct spoilt *s)
{
    s->registration.wave_size = 48;
}
static void date_that_is_none(struct spoilt *s)
{
    s->known.expires = "2026-02-30";
    s->registration.known = &s->known;
    s->registration.n_known = 1;
}
static void known_without_owner(struct spoilt *s)
{
    s->known.owner = NULL;
    s->registration.known = &s->known;
    s->registration.n_known = 1;
}
static void control_of_nobody(struct spoilt *s)
{
    s->control.registration = "nobody";
}
static void control_on_no_shape(struct spoilt *s)
{
    s->control.shape = "7x7";
}
static void control_at_another_gate(struct spoilt *s)
{
    s->control.gate = GATE_EXACT;
}
static void control_on_another_pattern(struct spoilt *s)
{
    s->control.pattern = REG_PATTERN_EDGES;
}
static void control_of_no_offset(struct spoilt *s)
{
    s->control.offset_rows = 0;
}
static void control_of_a_one_block_grid(struct spoilt *s)
{
    s->control.how = CONTROL_GRID;
    s->control.arg = 1;
}
static void control_of_a_stale_output(struct spoilt *s)
{
    s->control.how = CONTROL_STALE;
    s->control.tensor = FAKE_Y;
}
static void control_without_define(struct spoilt *s)
{
    s->control.how = CONTROL_BUILD;
}
static void control_that_names_no_check(struct spoilt *s)
{
    s->control.gate = GATE_BYTES;
    s->control.finding = "raze";
}
static void control_that_names_a_check_at_gate_3(struct spoilt *s)
{
    s->control.finding = "race";
}

static void bytes_of_no_name(struct spoilt *s)
{
    bytes_of(s)[1].name = "";
}
static void bytes_of_one_name(struct spoilt *s)
{
    bytes_of(s)[1].name = "rows";
}
static void bytes_of_both_kinds(struct spoilt *s)
{
    bytes_of(s)[0].expect = s->bytes[1].expect;
}
static void bytes_of_no_kind(struct spoilt *s)
{
    bytes_of(s)[1].expect = NULL;
}
static void bytes_of_no_windows(struct spoilt *s)
{
    bytes_of(s)[0].n_windows = 0;
}
static void bytes_on_a_refused_shape(struct spoilt *s)
{
    bytes_of(s)[1].shape.dim[1] = 2000;
}
static void bytes_of_no_list(struct spoilt *s)
{
    s->registration.n_bytes = 1;
}
static void window(struct spoilt *s, int64_t first, int64_t rows)
{
    s->window = (struct reg_window){first, rows};
    bytes_of(s)[0].windows = &s->window;
    s->bytes[0].n_windows = 1;
}
static void window_past_the_rows(struct spoilt *s)
{
    window(s, 4, 3);
}
static void window_far_past_the_rows(struct spoilt *s)
{
    window(s, 1, INT64_MAX);
}
static void window_before_the_rows(struct spoilt *s)
{
    window(s, -1, 2);
}
static void window_of_nothing(struct spoilt *s)
{
    window(s, 2, 0);
}
static void window_of_no_dimension(struct spoilt *s)
{
    bytes_of(s)[0].row_dim = REG_MAX_DIMS;
}
static void output_that_is_no_row_tensor(struct spoilt *s)
{
    bytes_of(s)[0].row_tensors = 1u << FAKE_X;
}
static void input_that_is_no_row_tensor(struct spoilt *s)
{
    bytes_of(s)[0].row_tensors = 1u << FAKE_Y;
}
static void row_tensor_without_the_rows(struct spoilt *s)
{
    bytes_of(s)[0].row_tensors |= 1u << FAKE_W;
}
static void control_on_bytes(struct spoilt *s, const char *name)
{
    bytes_of(s);
    s->control = (struct control){.name = "c",
                                  .registration = "fake_dot",
                                  .what = "rows sum another way",
                                  .gate = GATE_BYTES,
                                  .bytes = name,
                                  .how = CONTROL_BUILD,
                                  .define = "order_by_rows"};
}
static void control_on_no_bytes(struct spoilt *s)
{
    control_on_bytes(s, "columns");
}
static void control_on_bytes_at_gate_3(struct spoilt *s)
{
    control_on_bytes(s, "rows");
    s->control.gate = GATE_BOUND;
}
static void control_on_bytes_with_a_shape(struct spoilt *s)
{
    control_on_bytes(s, "rows");
    s->control.shape = "6x64";
}
static void control_on_bytes_with_a_finding(struct spoilt *s)
{
    control_on_bytes(s, "rows");
    s->control.finding = "race";
}

static void control_on_bytes_with_a_check(struct spoilt *s)
{
    control_on_bytes(s, "rows");
    s->control.check = "devices";
}
static void bytes_named_as_a_launcher_check(struct spoilt *s)
{
    bytes_of(s)[0].name = "wave size";
}

static void control_on_a_chip_of_another(struct spoilt *s)
{
    s->registration.chips = "gfx90a,gfx942";
    s->control.chips = "gfx942,gfx94";
}
static void control_red_and_green(struct spoilt *s)
{
    s->control.chips = "gfx942,gfx90a";
    s->control.green_chips = "gfx1030,gfx90a";
}
static void control_on_no_chip(struct spoilt *s)
{
    s->control.chips = "";
}
static void control_on_a_list_with_a_hole(struct spoilt *s)
{
    s->control.green_chips = "gfx90a,,gfx942";
}
static void control_on_some_chips_only(struct spoilt *s)
{
    s->control.chips = "gfx90a";
}
static void control_green_somewhere_only(struct spoilt *s)
{
    s->control.green_chips = "gfx90a";
}

static bool open_nothing(const struct hip_api *hip, void **state, struct error *error)
{
    (void)hip, (void)state, (void)error;
    return true;
}
static bool launch_nothing(void *state, const struct reg_call *call, struct error *error)
{
    (void)state, (void)call, (void)error;
    return true;
}
static void close_nothing(void *state)
{
    (void)state;
}
/* Its launcher, to be spoilt, in the place of the symbol. */
static struct reg_launcher *launcher_of(struct spoilt *s)
{
    s->launcher = (struct reg_launcher){.kernels = {"dot"},
                                        .devices_shape = "6x64",
                                        .n_devices = 2,
                                        .open = open_nothing,
                                        .launch = launch_nothing,
                                        .close = close_nothing};
    s->registration.launcher = &s->launcher;
    s->registration.symbol = NULL;
    return &s->launcher;
}
static void launcher_beside_a_symbol(struct spoilt *s)
{
    launcher_of(s);
    s->registration.symbol = "dot";
}
static void launcher_of_no_kernel(struct spoilt *s)
{
    launcher_of(s)->kernels[0] = NULL;
}
static void launcher_without_close(struct spoilt *s)
{
    launcher_of(s)->close = NULL;
}
static void launcher_of_one_device(struct spoilt *s)
{
    launcher_of(s)->n_devices = 1;
}
static void launcher_of_65_devices(struct spoilt *s)
{
    launcher_of(s)->n_devices = 65;
}
static void launcher_on_no_shape(struct spoilt *s)
{
    launcher_of(s)->devices_shape = "7x7";
}
static void control_of_no_launcher(struct spoilt *s)
{
    launcher_of(s);
    s->control.how = CONTROL_LAUNCHER;
}
static void control_by_an_unknown_launcher_check(struct spoilt *s)
{
    launcher_of(s);
    s->control.gate = GATE_BYTES;
    s->control.check = "device";
}
static void control_by_a_launcher_check_of_a_kernel(struct spoilt *s)
{
    s->control.gate = GATE_BYTES;
    s->control.check = "devices";
}

static void sound_launcher_passes(void **state)
{
    (void)state;
    struct spoilt s = sound();
    struct error error = {0};
    launcher_of(&s);
    s.control.how = CONTROL_LAUNCHER;
    s.control.launcher = &s.launcher;
    s.control.gate = GATE_BYTES;
    s.control.check = "wave size";
    if (!check(&s, &error))
        fail_msg("%s", error.text);
    assert_true(registration_has_kernel(&s.registration, "dot"));
    assert_false(registration_has_kernel(&s.registration, "dots"));
}

static void each_contradiction_is_refused(void **state)
{
    (void)state;
    static const struct {
        spoil *spoil;
        const char *says;
    } cases[] = {
        {no_name, "has no name"},
        {no_shapes, "registration fake_dot: no shapes"},
        {duplicate_label, "two shapes are labelled 1x33"},
        {refused_shape, "its launch refuses shape 9x300: at most 1000 columns"},
        {no_one_row_shape, "no shape has one row"},
        {only_even_widths, "no shape has an odd width"},
        {no_exact_and_no_note, "no exact_note"},
        {no_depth, "registration fake_dot: give depth, or in depth_note why it has no sums"},
        {depth_and_note, "give depth, or in depth_note why it has no sums"},
        {depth_of_no_part, "shape 1x33: depth declares no part for y"},
        {negative_depth, "shape 1x33: depth of y has -1 additions in \"the waves but one\""},
        {blind_without_reason, "blind_teeth and blind_reason go together"},
        {missing_sibling, "exact_sibling nobody is not registered"},
        {weights_of_no_shape, "registration fake_dot: its weights need a shape function and 1 to 8 file tensors"},
        {weights_of_nothing, "its weights need a shape function and 1 to 8 file tensors"},
        {file_tensor_of_no_suffix, "a file tensor has no suffix"},
        {file_tensor_of_no_dtype, "file tensor w needs a dtype and 0 to 4 dimensions"},
        {file_tensor_of_five_dimensions, "file tensor w needs a dtype and 0 to 4 dimensions"},
        {file_tensor_refused_and_used, "file tensor w is refused and yet fills input w"},
        {date_that_is_none, "expires on '2026-02-30'"},
        {known_without_owner, "needs owner, reason and link"},
        {budget_of_nothing, "budget 0 has no ceiling"},
        {budget_for_another_chip, "budget 0 is for the chips 'gfx90a,gfx942'; name some that the registration is for"},
        {budget_for_an_empty_name, "budget 0 is for the chips 'gfx90a,,gfx942'"},
        {waves_of_48, "written for waves of 48 lanes; waves have 32 or 64"},
        {control_of_nobody, "no registration is named nobody"},
        {control_on_no_shape, "fake_dot has no shape 7x7"},
        {control_at_another_gate, "pattern signed is judged by gate 3, not 4"},
        {control_on_another_pattern, "does not run pattern edges"},
        {control_of_no_offset, "needs a tensor and an offset"},
        {control_of_a_one_block_grid, "at least two blocks on shape 6x64"},
        {control_of_a_stale_output, "must be an input"},
        {control_without_define, "needs a define"},
        {control_that_names_no_check, "names a finding of raze at gate 1"},
        {control_on_a_chip_of_another, "chips names gfx94, which its registration is not for"},
        {control_red_and_green, "must be both red and green on gfx90a"},
        {control_on_no_chip, "chips is ''; write names with one comma between two"},
        {control_on_a_list_with_a_hole, "green_chips is 'gfx90a,,gfx942'; write names with one comma between two"},
        {control_on_some_chips_only, "no control for all of its chips"},
        {control_green_somewhere_only, "no control for all of its chips"},
        {control_that_names_a_check_at_gate_3, "names a finding of race at gate 3"},
        {bytes_of_no_name, "byte contract 1 needs a name"},
        {bytes_of_one_name, "two byte contracts are named rows"},
        {bytes_of_both_kinds, "byte contract rows: gives two of windows, expected bytes and relations"},
        {bytes_of_no_kind, "byte contract ones: gives neither windows nor expected bytes"},
        {bytes_of_no_windows, "byte contract rows: gives neither windows nor expected bytes"},
        {bytes_on_a_refused_shape, "its launch refuses shape 4x40: at most 1000 columns"},
        {bytes_of_no_list, "counts 1 byte contracts and lists none"},
        {window_past_the_rows, "a window of 3 rows from row 4 does not lie in the 6 rows"},
        {window_far_past_the_rows, "does not lie in the 6 rows"},
        {window_before_the_rows, "a window of 2 rows from row -1"},
        {window_of_nothing, "a window of 0 rows"},
        {window_of_no_dimension, "row_dim 6 is no dimension"},
        {output_that_is_no_row_tensor, "output y is not among its row tensors"},
        {input_that_is_no_row_tensor, "input x has another size in a window"},
        {row_tensor_without_the_rows, "the rows of w do not follow those of the launch"},
        {control_on_no_bytes, "fake_dot has no byte contract columns"},
        {control_on_bytes_at_gate_3, "names byte contract rows at gate 3"},
        {control_on_bytes_with_a_shape, "leave shape, pattern, finding and check out"},
        {control_on_bytes_with_a_finding, "leave shape, pattern, finding and check out"},
        {control_on_bytes_with_a_check, "leave shape, pattern, finding and check out"},
        {bytes_named_as_a_launcher_check, "byte contract wave size: is named as a check of launchers is"},
        {launcher_beside_a_symbol, "symbol and launcher exclude each other"},
        {launcher_of_no_kernel, "needs open, launch, close and at least one kernel"},
        {launcher_without_close, "needs open, launch, close and at least one kernel"},
        {launcher_of_one_device, "2 to 64 as n_devices"},
        {launcher_of_65_devices, "registration fake_dot: a launcher is run on several devices"},
        {launcher_on_no_shape, "devices_shape 7x7 is none of its shapes"},
        {control_of_no_launcher, "another launcher is wanted, and none is given"},
        {control_by_an_unknown_launcher_check, "names check device of a launcher, at gate 1"},
        {control_by_a_launcher_check_of_a_kernel, "names check devices of a launcher, at gate 1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoilt s = sound();
        struct error error = {0};
        cases[i].spoil(&s);
        assert_false(check(&s, &error));
        assert_int_equal(error.status, STATUS_USAGE);
        assert_null(strchr(error.text, '\n'));
        if (!strstr(error.text, cases[i].says))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].says);
    }
}

static void sound_registry_passes(void **state)
{
    (void)state;
    struct spoilt s = sound();
    struct error error = {0};
    s.registration.known = &s.known;
    s.registration.n_known = 1;
    if (!check(&s, &error))
        fail_msg("%s", error.text);
}

static void byte_contracts_and_their_controls_pass(void **state)
{
    (void)state;
    struct spoilt s = sound();
    struct error error = {0};
    control_on_bytes(&s, "rows");
    if (!check(&s, &error))
        fail_msg("%s", error.text);
}

static void shape_note_excuses_shape_rules(void **state)
{
    (void)state;
    struct spoilt s = sound();
    struct error error = {0};
    only_even_widths(&s);
    s.registration.shape_note = "widths are multiples of two by definition";
    assert_true(check(&s, &error));
}

static void names_are_unique_and_controls_are_needed(void **state)
{
    (void)state;
    struct spoilt s = sound();
    struct error error = {0};
    const struct registration *twice[] = {&s.registration, &s.registration};
    const struct control *controls[] = {&s.control, &s.control};
    assert_false(registry_check(&(struct registry){twice, 2, controls, 1}, &error));
    assert_non_null(strstr(error.text, "registered twice"));
    assert_false(registry_check(&(struct registry){twice, 1, controls, 2}, &error));
    assert_non_null(strstr(error.text, "registered twice"));
    assert_false(registry_check(&(struct registry){twice, 1, controls, 0}, &error));
    assert_non_null(strstr(error.text, "no control"));
}

static void chips_are_a_list_of_whole_names(void **state)
{
    (void)state;
    struct registration r = fake_registration("dot");
    assert_true(registration_is_for(&r, "gfx90a"));
    r.chips = "gfx1151,gfx90a";
    assert_true(registration_is_for(&r, "gfx90a"));
    assert_true(registration_is_for(&r, "gfx1151"));
    assert_false(registration_is_for(&r, "gfx115"));
    assert_false(registration_is_for(&r, "gfx942"));
}

/* fake_dot beside a twin that may be spoilt; the control is of both. */
struct twins {
    struct registration own, other;
    struct control controls[2];
    struct reg_shape shapes[3];
};

static bool wider_plan(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    bool ok = fake_registration("dot").plan(shape, plan, error);
    plan->tensor[FAKE_W].rows = 2;
    return ok;
}

static bool plan_of_one_more(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    bool ok = fake_registration("dot").plan(shape, plan, error);
    plan->tensor[plan->n_tensors++] = (struct reg_tensor){"z", FORMAT_F32, REG_INPUT, 1, 1};
    return ok;
}

static bool plan_with_a_workspace(const struct reg_shape *shape, struct reg_plan *plan, struct error *error)
{
    bool ok = plan_of_one_more(shape, plan, error);
    plan->tensor[plan->n_tensors - 1].role = REG_WORKSPACE;
    return ok;
}

static void twin_of_nobody(struct twins *t)
{
    t->own.twin = "nobody";
}
static void twin_of_itself(struct twins *t)
{
    t->own.twin = "fake_dot";
}
static void twin_without_a_shape(struct twins *t)
{
    t->shapes[0].label = "1x033";
    t->other.shapes = t->shapes;
}
static void twin_of_other_dimensions(struct twins *t)
{
    t->shapes[2].dim[2] = 1;
    t->other.shapes = t->shapes;
}
static void twin_without_a_pattern(struct twins *t)
{
    t->own.patterns = 1u << REG_PATTERN_EDGES;
}
static void twin_on_other_chips(struct twins *t)
{
    t->own.chips = "gfx1151,gfx90a";
    t->other.chips = "gfx1030,gfx942";
}
static void twin_of_another_size(struct twins *t)
{
    t->other.plan = wider_plan;
}
static void twin_with_one_more_input(struct twins *t)
{
    t->other.plan = plan_of_one_more;
}
static void twin_with_a_workspace(struct twins *t)
{
    t->other.plan = plan_with_a_workspace;
}
static void twin_on_a_chip_of_both(struct twins *t)
{
    t->own.chips = "gfx1151,gfx90a";
    t->other.chips = "gfx1030,gfx90a";
}

static void twins_agree_in_shapes_patterns_and_tensors(void **state)
{
    (void)state;
    static const struct {
        void (*spoil)(struct twins *t);
        const char *says; /* NULL: sound */
    } cases[] = {
        {twin_of_nobody, "its twin nobody is not registered"},
        {twin_of_itself, "is its own twin"},
        {twin_without_a_shape, "its twin fake_twin has no shape 1x33 of the same dimensions"},
        {twin_of_other_dimensions, "its twin fake_twin has no shape 9x300 of the same dimensions"},
        {twin_without_a_pattern, "its twin fake_twin does not run all of its patterns"},
        {twin_on_other_chips, "no chip has both it and its twin fake_twin"},
        {twin_of_another_size, "shape 1x33: tensor w is not the same in its twin fake_twin"},
        {twin_with_one_more_input, "shape 1x33: tensor z is not the same in its twin fake_twin"},
        {twin_with_a_workspace, NULL},
        {twin_on_a_chip_of_both, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct twins t = {.own = fake_registration("dot"), .other = fake_registration("dot")};
        struct error error = {0};
        memcpy(t.shapes, t.own.shapes, sizeof t.shapes);
        t.controls[0] = t.controls[1] = fake_controls[0];
        t.controls[1].name = "of_the_twin";
        t.other.name = t.own.twin = t.controls[1].registration = "fake_twin";
        cases[i].spoil(&t);
        const struct registration *registrations[] = {&t.own, &t.other};
        const struct control *controls[] = {&t.controls[0], &t.controls[1]};
        if (registry_check(&(struct registry){registrations, 2, controls, 2}, &error) != !cases[i].says)
            fail_msg("case %zu: %s", i, error.text);
        if (cases[i].says && !strstr(error.text, cases[i].says))
            fail_msg("'%s' does not say '%s'", error.text, cases[i].says);
    }
}

static void duty_of_a_control_follows_its_lists(void **state)
{
    (void)state;
    struct control k = fake_controls[0];
    assert_int_equal(control_duty(&k, "gfx90a"), CONTROL_MUST_BE_RED);
    k.green_chips = "gfx1151,gfx1030";
    assert_int_equal(control_duty(&k, "gfx90a"), CONTROL_MUST_BE_RED);
    assert_int_equal(control_duty(&k, "gfx1030"), CONTROL_MUST_BE_GREEN);
    k.chips = "gfx90a,gfx942";
    assert_int_equal(control_duty(&k, "gfx942"), CONTROL_MUST_BE_RED);
    assert_int_equal(control_duty(&k, "gfx1151"), CONTROL_MUST_BE_GREEN);
    assert_int_equal(control_duty(&k, "gfx94"), CONTROL_NOT_HERE);
}

/* A mistyped name would be a control that nothing runs. */
static void chips_that_do_not_exist_are_refused(void **state)
{
    (void)state;
    struct spoilt s = sound();
    struct error error = {0};
    const struct registration *registrations[] = {&s.registration};
    const struct control *controls[] = {&s.control};
    const struct registry registry = {registrations, 1, controls, 1};
    assert_true(chip_lists_are_known(&registry, &error));
    s.registration.chips = "gfx1151,gfx90a";
    s.control.green_chips = "gfx1151";
    s.control.chips = "gfx90a";
    assert_true(chip_lists_are_known(&registry, &error));
    s.control.green_chips = "gfx1151,gfx90";
    assert_false(chip_lists_are_known(&registry, &error));
    assert_string_equal(error.text,
                        "control fake_row_late names 'gfx90', which is no known chip; `hipcontract doctor` lists them");
    s.registration.chips = "gfx11";
    assert_false(chip_lists_are_known(&registry, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_non_null(strstr(error.text, "registration fake_dot names 'gfx11',"));
}

/* Adding a case must not move another's inputs: the key depends on names alone. */
static void inputs_depend_on_names_alone(void **state)
{
    (void)state;
    struct registration r = fake_registration("dot");
    struct reg_plan plan;
    struct error error;
    assert_true(r.plan(&r.shapes[1], &plan, &error));
    struct reg_case c = {
        .registration = &r, .shape = &r.shapes[1], .pattern = REG_PATTERN_SIGNED, .seed = 1, .plan = &plan};
    struct random_key key = reg_key(&c, FAKE_X);
    struct reg_shape copy = {.label = "6x64", .heavy = true};
    c.shape = &copy;
    assert_true(reg_key(&c, FAKE_X).value == key.value);
    assert_true(reg_key(&c, FAKE_W).value != key.value);
    c.pattern = REG_PATTERN_ONESIDED;
    assert_true(reg_key(&c, FAKE_X).value != key.value);
    c.pattern = REG_PATTERN_SIGNED;
    c.seed = 2;
    assert_true(reg_key(&c, FAKE_X).value != key.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_launcher_passes),
        cmocka_unit_test(each_contradiction_is_refused),
        cmocka_unit_test(sound_registry_passes),
        cmocka_unit_test(shape_note_excuses_shape_rules),
        cmocka_unit_test(names_are_unique_and_controls_are_needed),
        cmocka_unit_test(chips_are_a_list_of_whole_names),
        cmocka_unit_test(twins_agree_in_shapes_patterns_and_tensors),
        cmocka_unit_test(duty_of_a_control_follows_its_lists),
        cmocka_unit_test(chips_that_do_not_exist_are_refused),
        cmocka_unit_test(inputs_depend_on_names_alone),
        cmocka_unit_test(byte_contracts_and_their_controls_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
