/*
 * Each kernel of tests/kernels/faults.hip has the finding of its fault, at its source line, on an RDNA and a CDNA chip, and
 * its clean twin has none, with every check on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "contract/finding_source.h"
#include "tests/support/kernel_module.h"
#include "tests/support/source_line.h"

static const char source[] = "tests/kernels/faults.hip";

enum { BLOCK = 128, BLOCKS = 2, N = BLOCK * BLOCKS };

struct fault {
    const char *kernel;
    enum finding_kind kind;
    unsigned lds_bytes; /* of the launch */
};

static const struct fault faults[] = {
    {"read_past_the_end", FINDING_MEM, 0}, {"write_past_the_end", FINDING_MEM, 0},
    {"wrapped_index", FINDING_MEM, 0},     {"lds_past_the_end", FINDING_MEM, BLOCK * 4},
    {"unwritten_halo", FINDING_INIT, 0},   {"unwritten_private", FINDING_INIT, 0},
    {"missing_barrier", FINDING_RACE, 0},  {"reused_tile", FINDING_RACE, 0},
    {"plain_counter", FINDING_RACE, 0},    {"shared_total", FINDING_RACE, 0},
    {"unreleased_flag", FINDING_RACE, 0},  {"divergent_barrier", FINDING_SYNC, 0},
};

enum { N_FAULTS = sizeof faults / sizeof *faults, MAX_FINDINGS = 20 };

struct launch_result {
    hipError_t result;
    struct finding findings[MAX_FINDINGS];
    size_t n_findings;
};

static void launch(struct kernel_module *module, const char *kernel, unsigned lds_bytes, struct launch_result *result)
{
    const struct hip_api *hip = module->device->hip;
    uint32_t words[N], n = N;
    void *in, *out, *parameters[] = {&in, &out, &n};
    hipFunction_t function;
    for (uint32_t i = 0; i < N; i++)
        words[i] = i * 2654435761u >> 7;
    assert_int_equal(hip->hipMalloc(&in, sizeof words), hipSuccess);
    assert_int_equal(hip->hipMalloc(&out, sizeof words), hipSuccess);
    assert_int_equal(hip->hipMemcpy(in, words, sizeof words, hipMemcpyHostToDevice), hipSuccess);
    assert_int_equal(hip->hipMemset(out, 0, sizeof words), hipSuccess);
    assert_int_equal(hip->hipModuleGetFunction(&function, module->module, kernel), hipSuccess);
    result->result = hip->hipModuleLaunchKernel(function, BLOCKS, 1, 1, BLOCK, 1, 1, lds_bytes, NULL, parameters, NULL);
    if (result->result == hipSuccess)
        result->result = hip->hipDeviceSynchronize();
    result->n_findings = module->device->take_findings(module->device, result->findings, MAX_FINDINGS);
    hip->hipFree(in);
    hip->hipFree(out);
}

/* Whether a party of the finding stands on the line. */
static bool is_at(const struct finding *finding, uint32_t line)
{
    return finding->place.line == line || (finding->has_other && finding->other.line == line);
}

/* The line of a listing that is meant, without its end. */
static void meant_line(const struct finding_listing *listing, char *line, size_t n_bytes)
{
    const char *at = listing->text;
    for (int i = 0; i < listing->at; i++)
        at = strchr(at, '\n') + 1;
    snprintf(line, n_bytes, "%.*s", (int)strcspn(at, "\n"), at);
}

/* Its own instruction stands where its listing says, among others, and its own line of the source, which holds the marker
 * where the finding is at that line. */
static bool is_shown(struct finding *finding, uint32_t line, const char *marker)
{
    char meant[400];
    if (!finding->place.instruction[0])
        return true;
    finding_read_source(finding);
    meant_line(&finding->place.instructions, meant, sizeof meant);
    const char *instruction = strchr(meant, ' ');
    if (!instruction || strcmp(instruction + 1, finding->place.instruction) != 0 ||
        strchr(finding->place.instructions.text, '\n')[1] == '\0')
        return false;
    meant_line(&finding->place.source, meant, sizeof meant);
    return (strstr(meant, marker) != NULL) == (finding->place.line == line);
}

static size_t count_wrong_faults(struct kernel_module *module, const struct fault *fault)
{
    static struct launch_result result;
    char marker[96];
    size_t n_here = 0;
    snprintf(marker, sizeof marker, "/* here: %s */", fault->kernel);
    uint32_t line = source_line(source, marker);
    assert_true(line > 0);
    launch(module, fault->kernel, fault->lds_bytes, &result);
    for (size_t i = 0; i < result.n_findings; i++)
        if (!is_shown(&result.findings[i], line, marker)) {
            print_message("  %s: shows other lines: %s%s\n", result.findings[i].text,
                          result.findings[i].place.instructions.text, result.findings[i].place.source.text);
            return 1;
        }
    for (size_t i = 0; i < result.n_findings; i++)
        n_here += result.findings[i].kind == fault->kind && is_at(&result.findings[i], line);
    if (n_here && result.result != hipSuccess)
        return 0;
    print_message("  %s: no %s finding at line %u, %zu findings: %s\n", fault->kernel, finding_kind_name(fault->kind), line,
                  result.n_findings, result.n_findings ? result.findings[0].text : "");
    return 1;
}

static size_t count_false_findings(struct kernel_module *module, const struct fault *fault)
{
    static struct launch_result result;
    char kernel[96];
    snprintf(kernel, sizeof kernel, "%s_fixed", fault->kernel);
    launch(module, kernel, fault->lds_bytes, &result);
    if (result.n_findings == 0 && result.result == hipSuccess)
        return 0;
    print_message("  %s: %s: %s\n", kernel, hip_error_name(result.result),
                  result.n_findings ? result.findings[0].text : "failed without a finding");
    return 1;
}

static struct kernel_module open_module(const char *chip, const char *optimisation)
{
    struct kernel_module module;
    const struct kernel_build build = {.chip = chip, .optimisation = optimisation};
    assert_true(kernel_module_open(&module, source, &build, 2));
    module.device->set_checks(module.device, CHECKS_ALL);
    return module;
}

static void each_fault_is_found_at_its_line_and_its_clean_twin_is_silent(void **state)
{
    const char *chip = *state;
    static const char *const optimisations[] = {"-O0", "-O3"};
    size_t n_wrong = 0;
    for (size_t o = 0; o < sizeof optimisations / sizeof *optimisations; o++) {
        struct kernel_module module = open_module(chip, optimisations[o]);
        print_message("  %s %s\n", chip, optimisations[o]);
        for (size_t i = 0; i < N_FAULTS; i++)
            n_wrong += count_wrong_faults(&module, &faults[i]) + count_false_findings(&module, &faults[i]);
        kernel_module_close(&module);
    }
    assert_int_equal(n_wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(each_fault_is_found_at_its_line_and_its_clean_twin_is_silent, "gfx1151"),
        cmocka_unit_test_prestate(each_fault_is_found_at_its_line_and_its_clean_twin_is_silent, "gfx90a"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
