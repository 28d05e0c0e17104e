/* The HIP runtime that is installed answers for itself: with a GPU it opens, without one there is a line that says what to
 * do. */
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "device/device.h"

static void the_real_runtime_opens_or_says_why_not(void **state)
{
    (void)state;
    struct device *device;
    struct error error = {0};
    if (rocm_open(0, &device, &error)) {
        assert_int_equal(strncmp(device->chip, "gfx", 3), 0);
        assert_true(device->wave_size == 32 || device->wave_size == 64);
        assert_true(device->n_devices >= 1);
        device->close(device);
        return;
    }
    assert_null(device);
    assert_int_equal(error.status, STATUS_ENVIRONMENT);
    assert_string_equal(error.text, "hipGetDeviceCount: hipErrorNoDevice (100): no AMD GPU here; use --device emulator");
}

static void a_gpu_that_is_not_there_is_an_error(void **state)
{
    (void)state;
    struct device *device;
    struct error error = {0};
    assert_false(rocm_open(4096, &device, &error));
    assert_null(device);
    assert_int_equal(error.status, STATUS_ENVIRONMENT);
}

/* A caller without a runtime still gets names. */
static void errors_have_names_without_a_runtime(void **state)
{
    (void)state;
    assert_string_equal(hip_error_name(hipSuccess), "hipSuccess");
    assert_string_equal(hip_error_name(100), "hipErrorNoDevice");
    assert_string_equal(hip_error_name(-7), "hipErrorUnknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_real_runtime_opens_or_says_why_not),
        cmocka_unit_test(a_gpu_that_is_not_there_is_an_error),
        cmocka_unit_test(errors_have_names_without_a_runtime),
    };
    return cmocka_run_group_tests_name("rocm", tests, NULL, NULL);
}
