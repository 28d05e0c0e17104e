/*
 * The builds of a run: what is going to be launched is compiled beforehand, each source and define once, and what fails or
 * is left out is as if it had been asked for one by one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "contract/run.h"
#include "tests/support/fake_kernels.h"

/* Counts what the fake builder compiles. */
struct counting {
    struct builder fake;
    atomic_int n_compiled;
};

static bool compile(void *context, const struct registration *registration, const char *chip, const char *define,
                    unsigned char **bytes, size_t *n_bytes, struct error *error)
{
    struct counting *counting = context;
    counting->n_compiled++;
    return counting->fake.compile(counting->fake.context, registration, chip, define, bytes, n_bytes, error);
}

struct fixture {
    struct counting counting;
    struct builder builder;
    struct builds builds;
};

static void begin(struct fixture *f)
{
    *f = (struct fixture){.counting = {.fake = fake_builder()}};
    f->builder = (struct builder){.compile = compile, .context = &f->counting};
    f->builds = (struct builds){.builder = &f->builder, .device = fake_device_open(fake_kernels, true)};
}

static void each_source_and_define_is_compiled_once_by_all_threads(void **state)
{
    (void)state;
    enum { N_DEFINES = 16 };
    struct fixture f;
    struct registration registration = fake_registration("dot");
    char defines[N_DEFINES][24];
    struct build_wanted wanted[2 * N_DEFINES + 1] = {{&registration, NULL}};
    struct launch_target target;
    struct error error;
    begin(&f);
    for (int i = 0; i < N_DEFINES; i++) {
        snprintf(defines[i], sizeof defines[i], "fault_%d", i);
        wanted[1 + i] = wanted[1 + N_DEFINES + i] = (struct build_wanted){&registration, defines[i]};
    }
    builds_compile(&f.builds, wanted, 2 * N_DEFINES + 1, 4, NULL, NULL);
    assert_int_equal(f.counting.n_compiled, 1 + N_DEFINES);
    assert_true(builds_target(&f.builds, &registration, NULL, &target, &error));
    builds_compile(&f.builds, wanted, 2 * N_DEFINES + 1, 4, NULL, NULL);
    assert_int_equal(f.counting.n_compiled, 1 + N_DEFINES);
    builds_free(&f.builds);
}

static void a_source_that_fails_is_told_to_each_who_asks_for_it(void **state)
{
    (void)state;
    struct fixture f;
    struct registration registration = fake_registration("dot");
    struct launch_target target;
    registration.source = "broken.hip";
    begin(&f);
    builds_compile(&f.builds, &(struct build_wanted){&registration, NULL}, 1, 2, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        struct error error = {0};
        assert_false(builds_target(&f.builds, &registration, NULL, &target, &error));
        assert_int_equal(error.status, STATUS_RED);
        assert_non_null(strstr(error.text, "does not compile: expected ';'"));
    }
    assert_int_equal(f.counting.n_compiled, 1);
    builds_free(&f.builds);
}

static bool always(void *context)
{
    (void)context;
    return true;
}

static void what_a_stop_left_out_is_compiled_when_it_is_asked_for(void **state)
{
    (void)state;
    struct fixture f;
    struct registration registration = fake_registration("dot");
    struct launch_target target;
    struct error error;
    begin(&f);
    builds_compile(&f.builds, &(struct build_wanted){&registration, NULL}, 1, 2, always, NULL);
    assert_int_equal(f.counting.n_compiled, 0);
    assert_true(builds_target(&f.builds, &registration, NULL, &target, &error));
    assert_int_equal(f.counting.n_compiled, 1);
    builds_free(&f.builds);
}

/* A registration, its twin of another source, and all controls of the fake: nothing is left to compile for the gates. */
static void gates_compile_nothing_that_was_not_compiled_before_them(void **state)
{
    (void)state;
    static const char *const only[] = {"fake_dot"};
    struct fixture f;
    struct registration registration = fake_registration("dot"), twin = fake_registration("dot");
    const struct registration *registrations[] = {&registration, &twin};
    const struct control *controls[16];
    struct error error = {0};
    struct verdict_stream stream = {0};
    begin(&f);
    registration.twin = twin.name = "fake_twin";
    twin.source = "twin.hip";
    for (size_t i = 0; i < n_fake_controls; i++)
        controls[i] = &fake_controls[i];
    const struct registry registry = {registrations, 2, controls, n_fake_controls};
    const struct run_options options = {.only = only, .n_only = 1, .n_runs = 2, .n_threads = 2, .today = "2026-11-29"};
    struct run run = {.registry = &registry, .options = &options, .stream = &stream, .builds = f.builds};
    run_compile(&run);
    int n_compiled = f.counting.n_compiled;
    assert_true(n_compiled > 2);
    assert_true(run_gates(&run, &error));
    assert_int_equal(f.counting.n_compiled, n_compiled);
    builds_free(&run.builds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_source_and_define_is_compiled_once_by_all_threads),
        cmocka_unit_test(a_source_that_fails_is_told_to_each_who_asks_for_it),
        cmocka_unit_test(what_a_stop_left_out_is_compiled_when_it_is_asked_for),
        cmocka_unit_test(gates_compile_nothing_that_was_not_compiled_before_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
