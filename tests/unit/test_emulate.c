/*
 * `hipcontract emulate` from its command line to files, lines and exit statuses.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "commands/commands.h"
#include "contract/base/file.h"
#include "toolchain/toolchain.h"

enum { MAX_WORDS = 40, OUTPUT_BYTES = 1 << 20, N = 256 };

/* A folder with the code object and inputs: k.co, x.bin (0 … N-1 as f32), y.bin (N times 1.0f). */
struct bench {
    char directory[64];
    char out[OUTPUT_BYTES], err[OUTPUT_BYTES];
};

static void write_bytes(const struct bench *bench, const char *name, const void *bytes, size_t n_bytes)
{
    char path[160];
    struct error error;
    snprintf(path, sizeof path, "%s/%s", bench->directory, name);
    assert_true(file_write(path, bytes, n_bytes, &error));
}

static void read_bytes(const struct bench *bench, const char *name, void *bytes, size_t n_bytes)
{
    char path[160], *data;
    size_t n;
    struct error error;
    snprintf(path, sizeof path, "%s/%s", bench->directory, name);
    assert_true(file_read(path, &data, &n, &error));
    assert_int_equal(n, n_bytes);
    memcpy(bytes, data, n_bytes);
    free(data);
}

static int set_up(void **state)
{
    struct bench *bench = calloc(1, sizeof *bench);
    struct error error;
    struct compiled compiled;
    struct compile_request request = {.source_path = "tests/kernels/launch.hip", .family = "launch", .chip = "gfx1151"};
    struct toolchain *toolchain = toolchain_open(NULL, &error);
    if (!toolchain || !toolchain_compile(toolchain, &request, &compiled, &error)) {
        fprintf(stderr, "test_emulate: %s\n", error.text);
        return -1;
    }
    strcpy(bench->directory, "/tmp/test_emulate.XXXXXX");
    if (!mkdtemp(bench->directory))
        return -1;
    float x[N], y[N];
    for (int i = 0; i < N; i++) {
        x[i] = (float)i;
        y[i] = 1;
    }
    write_bytes(bench, "k.co", compiled.bytes, compiled.n_bytes);
    write_bytes(bench, "x.bin", x, sizeof x);
    write_bytes(bench, "y.bin", y, sizeof y);
    compiled_free(&compiled);
    toolchain_close(toolchain);
    *state = bench;
    return 0;
}

static int tear_down(void **state)
{
    struct bench *bench = *state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf '%s'", bench->directory);
    int status = system(command);
    free(bench);
    return status;
}

/* Sends a stream to a file in the folder; the old descriptor comes back. */
static int divert(FILE *stream, const char *path)
{
    fflush(stream);
    int old = dup(fileno(stream));
    FILE *file = fopen(path, "w");
    dup2(fileno(file), fileno(stream));
    fclose(file);
    return old;
}

static void restore(FILE *stream, int old)
{
    fflush(stream);
    dup2(old, fileno(stream));
    close(old);
}

static void read_text(const char *path, char text[OUTPUT_BYTES])
{
    FILE *file = fopen(path, "r");
    size_t n = fread(text, 1, OUTPUT_BYTES - 1, file);
    text[n] = 0;
    fclose(file);
}

/* Runs a command with words split at blanks, in the folder; gives the exit status and fills bench->out and bench->err. */
static int run(struct bench *bench, int (*command)(int, char **), char *name, const char *line)
{
    char copy[1000], here[1000], *words[MAX_WORDS] = {name}, *save = NULL;
    int n_words = 1;
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok_r(copy, " ", &save); word; word = strtok_r(NULL, " ", &save))
        words[n_words++] = word;
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(bench->directory), 0);
    int out = divert(stdout, "stdout.txt"), err = divert(stderr, "stderr.txt");
    int status = command(n_words, words);
    restore(stdout, out);
    restore(stderr, err);
    read_text("stdout.txt", bench->out);
    read_text("stderr.txt", bench->err);
    assert_int_equal(chdir(here), 0);
    return status;
}

static int emulate(struct bench *bench, const char *line)
{
    return run(bench, command_emulate, "emulate", line);
}

static int disasm(struct bench *bench, const char *line)
{
    return run(bench, command_disasm, "disasm", line);
}

static void says(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("\"%s\" does not hold \"%s\"", text, part);
}

static void a_clean_run_writes_its_outputs(void **state)
{
    struct bench *bench = *state;
    float z[N], y[N];
    assert_int_equal(emulate(bench, "k.co --kernel saxpy --grid 4 --block 64 --arg f32=2 --arg in:f32:x.bin "
                                    "--arg inout:f32:y.bin:z.bin --arg i32=256 --stats"),
                     STATUS_OK);
    assert_string_equal(bench->err, "");
    says(bench->out, "lane-instructions/s");
    read_bytes(bench, "z.bin", z, sizeof z);
    read_bytes(bench, "y.bin", y, sizeof y);
    for (int i = 0; i < N; i++)
        assert_true(z[i] == 1 + 2 * (float)i && y[i] == 1);
}

static void a_finding_names_the_argument_and_outputs_are_written_all_the_same(void **state)
{
    struct bench *bench = *state;
    float z[N];
    assert_int_equal(emulate(bench, "k.co --kernel saxpy --grid 5 --block 64 --arg f32=2 --arg in:f32:x.bin "
                                    "--arg inout:f32:y.bin:w.bin --arg i32=257"),
                     STATUS_RED);
    says(bench->err, "mem: saxpy+0x");
    says(bench->err, "workgroup 4,0,0 wave 0 lane 0: the address is 0 bytes past argument 1");
    says(bench->err, "is 0 bytes past argument 1 (in:f32 256)");
    says(bench->err, "failed: saxpy: hipErrorIllegalAddress");
    read_bytes(bench, "w.bin", z, sizeof z);
    assert_true(z[N - 1] == 1 + 2 * (float)(N - 1));
}

static void checks_can_be_left_out(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(emulate(bench, "k.co --kernel store_at --check none --arg null --arg i64=0"), STATUS_OK);
    assert_int_equal(emulate(bench, "k.co --kernel store_at --check sync --arg null --arg i64=0"), STATUS_OK);
    assert_int_equal(emulate(bench, "k.co --kernel store_at --check sync,mem --arg null --arg i64=0"), STATUS_RED);
    says(bench->err, "is null");
    assert_int_equal(emulate(bench, "k.co --kernel store_at --check race,init,wait,nan --arg null --arg i64=0"), STATUS_OK);
    assert_int_equal(emulate(bench, "k.co --kernel store_at --check typo --arg null --arg i64=0"), STATUS_USAGE);
    says(bench->err, "no kind typo");
}

static void single_checks_can_be_left_out(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(emulate(bench, "k.co --kernel store_at --no-check race,wait --arg null --arg i64=0"), STATUS_RED);
    assert_int_equal(emulate(bench, "k.co --kernel store_at --no-check mem --arg null --arg i64=0"), STATUS_OK);
    assert_int_equal(emulate(bench, "k.co --kernel store_at --check all --no-check mem --arg null --arg i64=0"), STATUS_OK);
    assert_int_equal(emulate(bench, "k.co --kernel store_at --check trap --arg null --arg i64=0"), STATUS_OK);
    assert_int_equal(emulate(bench, "k.co --kernel store_at --no-check trap --arg null --arg i64=0"), STATUS_USAGE);
    says(bench->err, "trap is always reported");
    assert_int_equal(emulate(bench, "k.co --kernel store_at --no-check mem,typo --arg null --arg i64=0"), STATUS_USAGE);
    says(bench->err, "no kind typo; kinds are mem, init, race, sync, wait, nan, all and none");
}

/* Four workgroups of two waves: eight waves load x and y and store y, 32 floats and so a line of 128 bytes each. */
static void statistics_count_what_was_executed(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(emulate(bench, "k.co --kernel saxpy --grid 4 --block 64 --arg f32=2 --arg in:f32:x.bin "
                                    "--arg inout:f32:y.bin:z.bin --arg i32=256 --stats"),
                     STATUS_OK);
    says(bench->out, "\n  global_load_b32                          16 ");
    says(bench->out, "100.00 %\n");
    says(bench->out, "\n  global                                 ");
    says(bench->out, "global memory: 24 vector accesses touch 24 cache lines, 1.00 each\n");
    says(bench->out, "LDS: 0 accesses take 0 passes of the banks, 0 of them for bank conflicts\n");
}

/* Writes the last launch's profile beside the disassembly. */
static void a_profile_stands_beside_the_disassembly(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(emulate(bench, "k.co --kernel saxpy --grid 5 --block 64 --arg f32=2 --arg in:f32:x.bin "
                                    "--arg inout:f32:y.bin:z.bin --arg i32=256 --profile p.txt"),
                     STATUS_OK);
    assert_int_equal(disasm(bench, "k.co --profile p.txt"), STATUS_OK);
    says(bench->out, "           8 100.0 % 1.00 lines              +0x");
    says(bench->out,
         "          10                                 +0x00000   s_");   /* both waves that find nothing to do, too */
    says(bench->out, "           -                                 +0x"); /* other kernels */
    says(bench->out, "          10         20.0 % taken            +0x"); /* those two: past the body */
    write_bytes(bench, "bad.txt", "# code address\nnonsense\n", 25);
    assert_int_equal(disasm(bench, "k.co --profile bad.txt"), STATUS_USAGE);
    says(bench->err, "bad.txt:2: no line of a profile");
    assert_int_equal(disasm(bench, "k.co --profile"), STATUS_USAGE);
    const char other[] = "# code address\n00000000000000010000000000000002 0x0 1 1 0 0 0 0 0 0 0 0 0 0 0 0\n";
    write_bytes(bench, "other.txt", other, sizeof other - 1);
    assert_int_equal(disasm(bench, "k.co --profile other.txt"), STATUS_USAGE);
    says(bench->err, "other.txt has no line of ");
    says(bench->err, "another build; run `emulate --profile` with this file again");
}

static void unwritten_elements_are_noted(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(emulate(bench, "k.co --kernel bounded --block 60 --arg out:u32:64"), STATUS_OK);
    says(bench->err, "note: argument 0 (out:u32 64): 4 of 64 elements never written, first 60\n");
    says(bench->out, "argument 0 (out:u32 64): XXH3-128 ");
    assert_int_equal(emulate(bench, "k.co --kernel bounded --block 64 --arg out:u32:64"), STATUS_OK);
    assert_string_equal(bench->err, "");
}

/* The pointer is two elements inside; a second launch reuses the buffer. */
static void pointers_may_be_inside_and_buffers_be_used_again(void **state)
{
    struct bench *bench = *state;
    uint32_t out[4];
    assert_int_equal(emulate(bench, "k.co --kernel store_at --arg zero:u32:4+8 --arg i64=0 --then --kernel load_at "
                                    "--arg out:u32:4:v.bin:pad=64 --arg @0 --arg i64=0 --block 4"),
                     STATUS_OK);
    read_bytes(bench, "v.bin", out, sizeof out);
    assert_true(out[0] == 0 && out[1] == 0 && out[2] == 7 && out[3] == 0);
    assert_int_equal(emulate(bench, "k.co --kernel store_at --arg zero:u32:4+16 --arg i64=0"), STATUS_RED);
    says(bench->err, "is 0 bytes past argument 0 (zero:u32 4)");
}

static void sparse_memory_is_as_large_as_it_says(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(emulate(bench, "k.co --kernel store_at --arg sparse:i32:4000000000 --arg i64=3999999999"), STATUS_OK);
    assert_int_equal(emulate(bench, "k.co --kernel store_at --arg sparse:i32:4000000000 --arg i64=4000000000"), STATUS_RED);
}

static void devices_do_not_share_memory(void **state)
{
    struct bench *bench = *state;
    const char *both = "k.co --device-count 2 --kernel store_at --arg zero:u32:4 --arg i64=0 --then --kernel store_at "
                       "--on-device %d --arg @0 --arg i64=1";
    char line[300];
    snprintf(line, sizeof line, both, 0);
    assert_int_equal(emulate(bench, line), STATUS_OK);
    snprintf(line, sizeof line, both, 1);
    assert_int_equal(emulate(bench, line), STATUS_RED);
    says(bench->err, "of device 0, and this is device 1 without peer access");
    strcat(line, " --peer-access");
    assert_int_equal(emulate(bench, line), STATUS_OK);
    assert_int_equal(emulate(bench, "k.co --kernel store_at --on-device 1 --arg null --arg i64=0"), STATUS_USAGE);
}

static void refused_launches_say_hips_error_and_why(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(emulate(bench, "k.co --kernel bounded --block 65 --arg out:u32:65"), STATUS_RED);
    says(bench->err, "refused: bounded: hipErrorLaunchFailure: a block of 65 work-items is over the 64");
    assert_string_equal(bench->out, "");
}

static void endless_kernels_end_at_the_watchdog(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(emulate(bench, "k.co --kernel spin --max-instructions 1000 --arg zero:u32:1"), STATUS_RED);
    says(bench->err, "watchdog: spin+0x");
    says(bench->err, "failed: spin: hipErrorLaunchTimeOut");
}

static void by_value_arguments_are_checked_against_the_kernels(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(emulate(bench, "k.co --kernel store_at --arg null --arg i32=0"), STATUS_USAGE);
    says(bench->err, "argument 1 of store_at takes 8 bytes, and 4 are given");
    assert_int_equal(emulate(bench, "k.co --kernel store_at --arg null"), STATUS_USAGE);
    says(bench->err, "store_at takes 2 arguments, and 1 are given");
    assert_int_equal(emulate(bench, "k.co --kernel store_at --arg zero:u32:4 --arg bytes=0300000000000000"), STATUS_OK);
    assert_int_equal(emulate(bench, "k.co --kernel store_at --arg zero:u32:4 --arg bytes=0400000000000000"), STATUS_RED);
}

/* Each wrong line: one clear line on standard error and status 2. */
static void wrong_usage_is_told_in_one_line(void **state)
{
    static const struct {
        const char *line, *reason;
    } wrong[] = {
        {"", "wanted one code object"},
        {"k.co k.co", "wanted one code object"},
        {"k.co --frob", "--frob is no option"},
        {"k.co --grid", "--grid lacks its value"},
        {"k.co --grid 1,2,3,4", "--grid 1,2,3,4: wanted X[,Y[,Z]]"},
        {"k.co --grid x", "--grid x: wanted X[,Y[,Z]]"},
        {"k.co --arg u8=256", "--arg u8=256: not a type with a value of it"},
        {"k.co --arg i8=-129", "--arg i8=-129: not a type"},
        {"k.co --arg f32=one", "--arg f32=one: not a type"},
        {"k.co --arg in:f32", "wanted in:TYPE:FILE"},
        {"k.co --arg in:f33:x.bin", "no type f33"},
        {"k.co --arg in:f32:missing.bin", "missing.bin: No such file"},
        {"k.co --arg zero:f32:x", "x is no number of elements"},
        {"k.co --arg zero:f32:4:z.bin", "only out: and inout: name an output file"},
        {"k.co --arg out:f32:4:pad=70000", "pad= at most 65536"},
        {"k.co --arg hello", "--arg hello: neither TYPE=VALUE"},
        {"k.co --arg bytes=0", "--arg bytes=0: not a type"},
        {"k.co --arg @0", "argument 0 of the first launch is no buffer"},
        {"k.co --device-count 0", "wanted a number from 1 to 64"},
        {"k.co", "--kernel is needed; the code object has"},
        {"x.bin", "not an ELF file"},
        {"nothing.co", "No such file"},
    };
    struct bench *bench = *state;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(emulate(bench, wrong[i].line), STATUS_USAGE);
        says(bench->err, wrong[i].reason);
        assert_ptr_equal(strchr(bench->err, '\n'), bench->err + strlen(bench->err) - 1);
    }
}

static void what_is_not_there_is_status_3(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(emulate(bench, "k.co --kernel nothing"), STATUS_ENVIRONMENT);
    says(bench->err, "no kernel nothing; the code object has saxpy");
    assert_int_equal(emulate(bench, "k.co --kernel saxpy --chip gfx9999 --arg f32=1 --arg null --arg null --arg i32=0"),
                     STATUS_ENVIRONMENT);
    says(bench->err, "gfx9999 is not emulated");
}

/* The trap handler's kernel, its s_sendmsg patched over: an export, which no compute emulator has. */
static void an_unknown_instruction_is_status_5(void **state)
{
    struct bench *bench = *state;
    static const uint8_t trap[] = {0x02, 0x00, 0x90, 0xbf}, export[] = {0x00, 0x00, 0x00, 0xf8};
    char path[160], *bytes;
    size_t n_bytes, patched = 0;
    struct error error;
    snprintf(path, sizeof path, "%s/k.co", bench->directory);
    assert_true(file_read(path, &bytes, &n_bytes, &error));
    for (size_t i = 0; i + 8 <= n_bytes; i += 4)
        if (memcmp(bytes + i, trap, 4) == 0) {
            memcpy(bytes + i, export, 4);
            memset(bytes + i + 4, 0, 4);
            patched++;
        }
    assert_true(patched > 0);
    write_bytes(bench, "bad.co", bytes, n_bytes);
    free(bytes);
    assert_int_equal(emulate(bench, "bad.co --kernel stop_here --arg out:u32:1"), STATUS_UNSUPPORTED);
    says(bench->err, "unsupported: stop_here+0x");
}

static void schedules_repeat(void **state)
{
    struct bench *bench = *state;
    static char first[OUTPUT_BYTES];
    const char *line = "k.co --kernel count --grid 8 --block 64 --schedule 3 --jobs 2 --arg zero:u32:1 --arg out:u32:512";
    assert_int_equal(emulate(bench, line), STATUS_OK);
    strcpy(first, bench->out);
    assert_int_equal(emulate(bench, line), STATUS_OK);
    assert_string_equal(bench->out, first);
    assert_int_equal(emulate(bench, "k.co --kernel count --grid 8 --block 64 --arg zero:u32:1 --arg out:u32:512"),
                     STATUS_OK);
    assert_string_not_equal(bench->out, first);
}

static void help_is_on_standard_output(void **state)
{
    struct bench *bench = *state;
    assert_int_equal(emulate(bench, "--help"), STATUS_OK);
    says(bench->out, "usage: hipcontract emulate FILE.co");
    assert_string_equal(bench->err, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clean_run_writes_its_outputs),
        cmocka_unit_test(a_finding_names_the_argument_and_outputs_are_written_all_the_same),
        cmocka_unit_test(checks_can_be_left_out),
        cmocka_unit_test(single_checks_can_be_left_out),
        cmocka_unit_test(statistics_count_what_was_executed),
        cmocka_unit_test(a_profile_stands_beside_the_disassembly),
        cmocka_unit_test(unwritten_elements_are_noted),
        cmocka_unit_test(pointers_may_be_inside_and_buffers_be_used_again),
        cmocka_unit_test(sparse_memory_is_as_large_as_it_says),
        cmocka_unit_test(devices_do_not_share_memory),
        cmocka_unit_test(refused_launches_say_hips_error_and_why),
        cmocka_unit_test(endless_kernels_end_at_the_watchdog),
        cmocka_unit_test(by_value_arguments_are_checked_against_the_kernels),
        cmocka_unit_test(wrong_usage_is_told_in_one_line),
        cmocka_unit_test(what_is_not_there_is_status_3),
        cmocka_unit_test(an_unknown_instruction_is_status_5),
        cmocka_unit_test(schedules_repeat),
        cmocka_unit_test(help_is_on_standard_output),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
