/* The formats of a report: each shows what the report holds, whatever its texts are, and says where it cannot be written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>

#include "reports/github.h"
#include "reports/junit.h"
#include "reports/markdown.h"
#include "reports/receipt.h"
#include "reports/sarif.h"
#include "reports/source_path.h"
#include "reports/xml.h"
#include "tests/support/report_samples.h"

static void assert_holds(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("no \"%s\" in:\n%.4000s", part, text);
}

static void assert_lacks(const char *text, const char *part)
{
    if (strstr(text, part))
        fail_msg("\"%s\" in:\n%.4000s", part, text);
}

static struct verdict named(struct verdict v, const char *registration, const char *chip)
{
    snprintf(v.registration, sizeof v.registration, "%s", registration);
    snprintf(v.chip, sizeof v.chip, "%s", chip);
    return v;
}

static struct verdict with_status(struct verdict v, enum verdict_status status, const char *reason)
{
    v.status = status;
    verdict_reason(&v, "%s", reason);
    return v;
}

static struct verdict limit_problem(const char *kernel, const char *reason)
{
    struct verdict v = {.subject = SUBJECT_LIMIT, .gate = GATE_LIMITS, .worst.index = -1};
    return named(with_status(v, VERDICT_LIMIT_PROBLEM, reason), kernel, "gfx1151");
}

/* --- texts --- */

static char *as_text(void (*write)(FILE *out, const char *text), const char *text)
{
    char *written = NULL;
    size_t n_bytes;
    FILE *out = open_memstream(&written, &n_bytes);
    write(out, text);
    fclose(out);
    return written;
}

/* A text that was cut in the midst of a character, and what XML 1.0 has no way to say. */
static void xml_holds_only_characters_of_xml(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"a<b>&\"'", "a&#60;b&#62;&#38;&#34;&#39;"},
        {"205 \xe2\x86\x92 211", "205 \xe2\x86\x92 211"},
        {"cut \xe2\x86", "cut \xef\xbf\xbd\xef\xbf\xbd"},
        {"overlong \xc0\xaf", "overlong \xef\xbf\xbd\xef\xbf\xbd"},
        {"surrogate \xed\xa0\x80.", "surrogate \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd."},
        {"beyond \xf4\x90\x80\x80.", "beyond \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd."},
        {"last \xf4\x8f\xbf\xbd", "last \xf4\x8f\xbf\xbd"},
        {"no character \xef\xbf\xbf", "no character \xef\xbf\xbd"},
        {"bell \x07 and line\n", "bell \xef\xbf\xbd and line&#10;"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *text = as_text(xml_write_value, cases[i][0]);
        assert_string_equal(text, cases[i][1]);
        free(text);
    }
}

static void markdown_text_is_no_markup_and_mentions_nobody(void **state)
{
    (void)state;
    char *text = as_text(markdown_write_text, "a|b @team #1 <b> *x* `y`\nz & [l](m) a_b _c_");
    assert_string_equal(text, "a\\|b &#64;team &#35;1 &#60;b&#62; \\*x\\* \\`y\\` z &#38; \\[l\\](m) a_b \\_c\\_");
    free(text);
    text = as_text(markdown_write_block, "```\nnot the end");
    assert_string_equal(text, "````\n```\nnot the end\n````\n");
    free(text);
}

/* Lines of an element stay lines; an attribute's would become spaces. */
static void xml_keeps_line_ends(void **state)
{
    (void)state;
    char *text = as_text(xml_write_text, "a \"<b>\"\n\t& c\r");
    assert_string_equal(text, "a \"&#60;b&#62;\"\n\t&#38; c&#13;");
    free(text);
    text = as_text(xml_write_value, "a \"<b>\"\n\t& c\r");
    assert_string_equal(text, "a &#34;&#60;b&#62;&#34;&#10;&#9;&#38; c&#13;");
    free(text);
}

/* Forges know a file by one path. */
static void source_path_has_no_detours(void **state)
{
    (void)state;
    static const char *const cases[][2] = {{"kernels/ds4/../lanes.h", "kernels/lanes.h"},
                                           {"./a//b/./c.h", "a/b/c.h"},
                                           {"a/../../b.h", "../b.h"},
                                           {"../../b.h", "../../b.h"},
                                           {"/a/../../b.h", "/b.h"},
                                           {"a/b/../../c.h", "c.h"},
                                           {"..", ".."},
                                           {"a/..", ""},
                                           {"/", "/"},
                                           {"", ""}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char plain[32];
        source_path(cases[i][0], plain, sizeof plain);
        assert_string_equal(plain, cases[i][1]);
    }
    char small[8];
    source_path("a/../bcdefgh", small, sizeof small);
    assert_string_equal(small, "a/../bc");
}

/* --- JUnit --- */

static void junit_counts_each_outcome_once(void **state)
{
    (void)state;
    struct verdict verdicts[] = {
        sample_pass(GATE_BYTES),
        sample_miss(8),
        with_status(sample_pass(GATE_EXACT), VERDICT_NOT_RUN, "no exact sums: it moves bytes"),
        with_status(sample_pass(GATE_CLASSES), VERDICT_KNOWN_FINDING, "its runs differ"),
        named(with_status(sample_pass(0), VERDICT_BUILD_FAILED, "k.hip:3: expected ';'"), "other", "gfx90a"),
        named(with_status(sample_pass(GATE_BYTES), VERDICT_DIED, "its process is gone"), "third", "gfx90a"),
    };
    struct report report = sample_report(verdicts, 6, false);
    char *text = sample_written(junit_write, &report);
    assert_holds(text, "<testsuites name=\"hipcontract\" tests=\"7\" failures=\"1\" errors=\"2\" time=\"0.007500\">");
    assert_holds(text, "<testsuite name=\"run\" tests=\"1\" failures=\"0\" errors=\"0\" time=\"0.000000\" skipped=\"0\">");
    assert_holds(text,
                 "<testsuite name=\"gfx1151 k\" tests=\"4\" failures=\"1\" errors=\"0\" time=\"0.002500\" skipped=\"2\">");
    assert_holds(text, "<testsuite name=\"gfx90a other\" tests=\"1\" failures=\"0\" errors=\"1\"");
    assert_holds(text, "<error type=\"died\" message=\"gate 1, third, gfx90a, 1x33 (signed): died: its process is gone\">");
    assert_int_equal(count_of(text, "<testcase "), 7);
    assert_holds(text, "<testcase classname=\"gfx1151.k\" name=\"gate 1, 1x33 (signed)\" time=\"0.001500\"/>");
    assert_holds(text, "<skipped>no exact sums: it moves bytes</skipped>");
    assert_holds(text, "<skipped>known finding: its runs differ</skipped>");
    assert_holds(text, "<property name=\"commit\" value=\"0123456789abcdef0123456789abcdef01234567\"/>");
    free(text);
    report_free(&report);
}

static void junit_failure_begins_with_the_whole_story(void **state)
{
    (void)state;
    struct verdict v = sample_miss(8);
    struct report report = sample_report(&v, 1, false);
    char *text = sample_written(junit_write, &report);
    assert_holds(text, "<failure type=\"fail\" message=\"gate 3, k, gfx1151, 1x33 (signed): 8 times the bound, at most 1\">"
                       "gate 3, k, gfx1151, 1x33 (signed): 8 times the bound, at most 1\n");
    assert_holds(text, "\nrepeat with: hipcontract run k --shape 1x33 ");
    free(text);
    report_free(&report);
}

static void junit_tells_a_run_that_is_not_whole(void **state)
{
    (void)state;
    struct verdict v = sample_pass(GATE_BYTES);
    struct report report = sample_report(&v, 1, true);
    char *text = sample_written(junit_write, &report);
    assert_holds(text, "<testsuite name=\"run\" tests=\"1\" failures=\"0\" errors=\"1\"");
    assert_holds(text, "<error type=\"incomplete\" message=\"the run was interrupted before its end");
    free(text);
    report_free(&report);
}

/* --- GitHub --- */

static char *annotations(const struct report *report, const char *workspace)
{
    char *text = NULL;
    size_t n_bytes;
    struct error error;
    FILE *out = open_memstream(&text, &n_bytes);
    assert_true(github_annotate(out, report, workspace, &error));
    fclose(out);
    return text;
}

/* "%", ":" and "," would end a property or the command itself. */
static void annotation_escapes_what_a_command_ends_at(void **state)
{
    (void)state;
    struct verdict v = with_status(sample_pass(GATE_BYTES), VERDICT_FAIL, "50% of a::b, and\nmore");
    snprintf(v.file, sizeof v.file, "kernels/a,b:c%%.c");
    struct report report = sample_report(&v, 1, false);
    char *text = annotations(&report, NULL);
    assert_int_equal(
        strncmp(text,
                "::error file=kernels/a%2Cb%3Ac%25.c,line=12,title=gate 1%2C k%2C gfx1151%2C 1x33 (signed)::"
                "50%25 of a::b, and%0Agate 1 at 1x33 (signed): 50%25 of a::b, and%0Amore%0A",
                strlen("::error file=kernels/a%2Cb%3Ac%25.c,line=12,title=gate 1%2C k%2C gfx1151%2C 1x33 "
                       "(signed)::50%25 of a::b, and%0Agate 1 at 1x33 (signed): 50%25 of a::b, and%0Amore%0A")),
        0);
    assert_int_equal(count_of(text, "\n"), 1);
    free(text);
    report_free(&report);
}

static void annotation_points_at_the_kernel_s_line_where_a_finding_names_it(void **state)
{
    (void)state;
    struct verdict v = sample_race();
    struct report report = sample_report(&v, 1, false);
    char *text = annotations(&report, NULL);
    assert_holds(text, "::error file=kernels/k/k.hip,line=40,title=");
    free(text);
    report_free(&report);
    snprintf(v.finding.place.file, sizeof v.finding.place.file, "/checkout/repo/kernels/k.hip");
    report = sample_report(&v, 1, false);
    text = annotations(&report, "/checkout/repo");
    assert_holds(text, "::error file=kernels/k.hip,line=40,title=");
    free(text);
    text = annotations(&report, "/checkout/re");
    assert_holds(text, "::error file=/checkout/repo/kernels/k.hip,line=40,title=");
    free(text);
    report_free(&report);
}

/* Where neither is known the annotation is the run's. */
static void annotation_without_a_place_names_none(void **state)
{
    (void)state;
    struct verdict v = limit_problem("k", "record stale: vgprs 205 -> 211");
    struct report report = sample_report(&v, 1, false);
    char *text = annotations(&report, NULL);
    assert_int_equal(strncmp(text, "::error title=gate 5%2C k%2C gfx1151::record stale: vgprs 205 -> 211%0A", 70), 0);
    free(text);
    report_free(&report);
}

static void one_annotation_a_kernel_worst_first_then_a_count(void **state)
{
    (void)state;
    enum { N_KERNELS = 13 };
    struct verdict verdicts[2 * N_KERNELS];
    for (int i = 0; i < N_KERNELS; i++) {
        char name[16];
        snprintf(name, sizeof name, "k%02d", i);
        verdicts[2 * i] = named(sample_miss(2 + i), name, "gfx1151");
        verdicts[2 * i + 1] = named(sample_miss(100 + i), name, "gfx90a");
    }
    struct report report = sample_report(verdicts, 2 * N_KERNELS, false);
    char *text = annotations(&report, NULL);
    assert_int_equal(count_of(text, "::error "), GITHUB_ANNOTATIONS);
    const char *worst = strstr(text, "k12%2C gfx90a");
    const char *next = strstr(text, "k11%2C gfx90a");
    assert_true(worst && next && worst < next);
    assert_lacks(text, "title=gate 3%2C k12%2C gfx1151");
    assert_holds(text, "::112 times the bound, at most 1%0A");
    assert_holds(text, "and 1 more problem of this kernel");
    assert_holds(text, "::notice title=more problems::and 3 more kernels with problems");
    free(text);
    report_free(&report);
}

static void run_that_holds_has_no_annotation(void **state)
{
    (void)state;
    struct verdict v = sample_pass(GATE_BYTES);
    struct report report = sample_report(&v, 1, false);
    char *text = annotations(&report, NULL);
    assert_string_equal(text, "");
    free(text);
    report_free(&report);
    report = sample_report(&v, 1, true);
    text = annotations(&report, NULL);
    assert_int_equal(count_of(text, "::warning title=the run is not whole::the run was interrupted"), 1);
    free(text);
    report_free(&report);
}

/* --- receipt and step summary --- */

static void receipt_holds_what_a_reviewer_asks_for(void **state)
{
    (void)state;
    struct verdict near = sample_pass(GATE_BOUND), nearer = sample_pass(GATE_BOUND);
    near.worst_ratio = 0.25, nearer.worst_ratio = 0.75;
    struct verdict verdicts[] = {near, named(nearer, "k", "gfx90a"), limit_problem("k", "record stale: vgprs 205 -> 211")};
    struct report report = sample_report(verdicts, 3, false);
    char *text = sample_written(receipt_write, &report);
    assert_int_equal(strncmp(text, "### hipcontract: the contract does not hold, 1 problem\n", 55), 0);
    assert_holds(text, "| commit | 0123456789abcdef0123456789abcdef01234567 |\n");
    assert_holds(text, "| toolchain | debian-clang-22 |\n");
    assert_holds(text, "| cases | default shapes, 5 runs, seed 1 |\n");
    assert_holds(text, "| gfx1151 | 1 | 1 | 0 |");
    assert_holds(text, "| k | gfx90a | 1x33 (signed) | 0.75 |\n");
    assert_lacks(text, "| k | gfx1151 | 1x33 (signed) | 0.25 |\n");
    assert_holds(text, "**Records touched**\n\n- `records/a.txt`\n- `records/b.txt`\n\n");
    assert_holds(text, "- gate 5, k, gfx1151: record stale: vgprs 205 -&#62; 211\n\n```\n");
    free(text);
    report_free(&report);
}

/* Many cases of one broken kernel would hide another's, and its own other gates. */
static void receipt_shows_the_worst_of_a_kernel_and_gate(void **state)
{
    (void)state;
    struct verdict verdicts[] = {sample_miss(10),
                                 sample_miss(12),
                                 named(sample_miss(11), "k", "gfx90a"),
                                 sample_race(),
                                 named(sample_miss(2), "other", "gfx1151"),
                                 limit_problem("k", "record missing")};
    struct report report = sample_report(verdicts, 6, false);
    char *text = sample_written(receipt_write, &report);
    assert_int_equal(count_of(text, "\n- gate "), 4);
    assert_holds(text, "\n- gate 1, k, ");
    assert_holds(text, "\n- gate 3, k, gfx1151, 1x33 (signed): 12 times ");
    assert_holds(text, "\n- gate 3, other, ");
    assert_holds(text, "\n- gate 5, k, ");
    assert_holds(text, "- and 2 more problems; the log has all\n");
    free(text);
    report_free(&report);
}

static void receipt_of_a_whole_run_that_holds_says_so(void **state)
{
    (void)state;
    struct verdict v = sample_pass(GATE_BOUND);
    struct report report = sample_report(&v, 1, false);
    char *text = sample_written(receipt_write, &report);
    assert_int_equal(strncmp(text, "### hipcontract: the contract holds\n", 36), 0);
    assert_lacks(text, "Problems");
    free(text);
    report.environment.only = "rms_*,softmax*";
    text = sample_written(receipt_write, &report);
    assert_holds(text, "### hipcontract: the contract holds, of rms\\_\\*,softmax\\* alone\n");
    free(text);
    report.environment.records = "";
    text = sample_written(receipt_write, &report);
    assert_holds(text, "No record is touched.");
    free(text);
    report.environment.records = NULL;
    text = sample_written(receipt_write, &report);
    assert_lacks(text, "ecord");
    free(text);
    report_free(&report);
    report = sample_report(&v, 1, true);
    text = sample_written(receipt_write, &report);
    assert_lacks(text, "the contract holds");
    assert_holds(text, "- **not whole**: the run was interrupted");
    free(text);
    report_free(&report);
}

/* A report with so many problems that no format has room for all. */
static struct report large_report(size_t n)
{
    struct verdict *verdicts = calloc(n, sizeof *verdicts);
    assert_non_null(verdicts);
    for (size_t i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "kernel_%zu", i);
        verdicts[i] = named(sample_miss(2 + (double)i), name, "gfx1151");
    }
    struct report report = sample_report(verdicts, n, false);
    free(verdicts);
    return report;
}

static void receipt_fits_by_dropping_detail(void **state)
{
    (void)state;
    struct report report = large_report(600);
    char *text = sample_written(receipt_write, &report);
    assert_true(strlen(text) <= RECEIPT_BYTES);
    assert_holds(text, "the contract does not hold, 600 problems");
    assert_holds(text, "- gate 3, kernel_599, gfx1151, 1x33 (signed): 601 times the bound, at most 1\n");
    assert_holds(text, "- and 500 more problems; the log has all\n");
    free(text);
    size_t n_bytes;
    for (size_t most = 0; most <= 100000; most = 2 * most + 50) {
        assert_true(receipt_within(&report, most, &text, &n_bytes));
        assert_true(n_bytes <= most && strlen(text) == n_bytes);
        free(text);
    }
    report_free(&report);
}

static void path_of_scratch_file(char path[64])
{
    snprintf(path, 64, "/tmp/hipcontract_test_XXXXXX");
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
}

static long size_of(const char *path)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    fclose(file);
    return size;
}

/* Several commands of a step share the file, and GitHub refuses all of it where it is too large. */
static void step_summary_stays_under_a_mebibyte(void **state)
{
    (void)state;
    char path[64];
    struct error error;
    struct report report = large_report(3000);
    path_of_scratch_file(path);
    assert_true(github_summarize(path, &report, &error));
    assert_true(size_of(path) > RECEIPT_BYTES && size_of(path) <= GITHUB_SUMMARY_BYTES);
    static const long rooms[] = {100000, 3000, 700, 100, 1, 0};
    for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
        assert_int_equal(truncate(path, GITHUB_SUMMARY_BYTES - rooms[i]), 0);
        assert_true(github_summarize(path, &report, &error));
        long written = size_of(path) - (GITHUB_SUMMARY_BYTES - rooms[i]);
        assert_true(written <= rooms[i]);
        assert_true(rooms[i] < 700 ? written == 0 : written > 0);
    }
    unlink(path);
    report_free(&report);
}

static void step_summary_that_cannot_be_written_is_one_line(void **state)
{
    (void)state;
    struct error error = {0};
    struct verdict v = sample_pass(GATE_BYTES);
    struct report report = sample_report(&v, 1, false);
    assert_false(github_summarize("/nonexistent/summary", &report, &error));
    assert_int_equal(error.status, STATUS_USAGE);
    assert_string_equal(error.text,
                        "/nonexistent/summary: the step's summary cannot be written: No such file or directory");
    assert_false(github_summarize("/dev/full", &report, &error));
    assert_string_equal(error.text, "/dev/full: the report cannot be written: No space left on device");
    report_free(&report);
}

/* --- SARIF --- */

static json_t *sarif_of(const struct report *report)
{
    char *text = sample_written(sarif_write, report);
    json_t *log = json_loads(text, 0, NULL);
    assert_non_null(log);
    free(text);
    return log;
}

static json_t *first_run(const json_t *log)
{
    return json_array_get(json_object_get(log, "runs"), 0);
}

static void sarif_holds_findings_of_kernels_alone(void **state)
{
    (void)state;
    struct verdict control = sample_race();
    control.subject = SUBJECT_CONTROL;
    control.status = VERDICT_RED;
    snprintf(control.name, sizeof control.name, "k_racing");
    struct verdict verdicts[] = {sample_race(), sample_miss(8), control};
    struct report report = sample_report(verdicts, 3, false);
    json_t *log = sarif_of(&report);
    json_t *results = json_object_get(first_run(log), "results");
    assert_int_equal(json_array_size(results), 1);
    const char *rule, *level, *uri, *other, *message;
    int line, other_line, index;
    assert_int_equal(json_unpack(json_array_get(results, 0),
                                 "{s:s, s:i, s:s, s:{s:s}, s:[{s:{s:{s:s}, s:{s:i}}}], s:[{s:{s:{s:s}, s:{s:i}}}]}",
                                 "ruleId", &rule, "ruleIndex", &index, "level", &level, "message", "text", &message,
                                 "locations", "physicalLocation", "artifactLocation", "uri", &uri, "region", "startLine",
                                 &line, "relatedLocations", "physicalLocation", "artifactLocation", "uri", &other, "region",
                                 "startLine", &other_line),
                     0);
    assert_string_equal(rule, "race");
    assert_string_equal(level, "error");
    assert_string_equal(uri, "kernels/k/k.hip");
    assert_int_equal(line, 40);
    assert_string_equal(other, "kernels/k/k.hip");
    assert_int_equal(other_line, 44);
    assert_holds(message, "gate 1, k, gfx1151, 1x33 (signed): k+0x1c4 ds_store_b32 v0, v1 (kernels/k/k.hip:40)");
    const char *id = NULL;
    json_t *rules = json_object_get(json_object_get(json_object_get(first_run(log), "tool"), "driver"), "rules");
    assert_int_equal(json_unpack(json_array_get(rules, (size_t)index), "{s:s}", "id", &id), 0);
    assert_string_equal(id, rule);
    json_decref(log);
    report_free(&report);
}

static void known_finding_is_suppressed(void **state)
{
    (void)state;
    struct verdict v = sample_race();
    v.status = VERDICT_KNOWN_FINDING;
    struct report report = sample_report(&v, 1, false);
    json_t *log = sarif_of(&report);
    const char *level, *kind, *reason;
    assert_int_equal(json_unpack(json_array_get(json_object_get(first_run(log), "results"), 0), "{s:s, s:[{s:s, s:s}]}",
                                 "level", &level, "suppressions", "kind", &kind, "justification", &reason),
                     0);
    assert_string_equal(level, "warning");
    assert_string_equal(kind, "external");
    assert_string_equal(reason, v.reason);
    json_decref(log);
    report_free(&report);
}

/* Without line tables the reader still gets to the kernel; a path is a URI; a text may have been cut in a character. */
static void finding_without_a_line_stands_where_the_kernel_is_registered(void **state)
{
    (void)state;
    struct verdict v = sample_race();
    v.finding.place.file[0] = '\0';
    v.finding.has_other = false;
    snprintf(v.finding.text, sizeof v.finding.text, "cut \xe2\x86");
    snprintf(v.file, sizeof v.file, "kernels/my k#1.c");
    struct report report = sample_report(&v, 1, false);
    json_t *log = sarif_of(&report);
    const char *uri, *message;
    int line;
    assert_int_equal(json_unpack(json_array_get(json_object_get(first_run(log), "results"), 0),
                                 "{s:{s:s}, s:[{s:{s:{s:s}, s:{s:i}}}]}", "message", "text", &message, "locations",
                                 "physicalLocation", "artifactLocation", "uri", &uri, "region", "startLine", &line),
                     0);
    assert_string_equal(uri, "kernels/my%20k%231.c");
    assert_int_equal(line, 12);
    assert_holds(message, ": cut \xef\xbf\xbd");
    json_decref(log);
    report_free(&report);
}

static void source_lines_round_a_finding_are_its_context(void **state)
{
    (void)state;
    struct verdict v = sample_race();
    v.finding.has_other = false;
    v.finding.place.source = (struct finding_listing){.text = "if (x)\n    y[i] = x;\n}\n", .at = 1};
    struct report report = sample_report(&v, 1, false);
    json_t *log = sarif_of(&report);
    const char *snippet;
    int line, first, last;
    assert_int_equal(json_unpack(json_array_get(json_object_get(first_run(log), "results"), 0),
                                 "{s:[{s:{s:{s:i}, s:{s:i, s:i, s:{s:s}}}}]}", "locations", "physicalLocation", "region",
                                 "startLine", &line, "contextRegion", "startLine", &first, "endLine", &last, "snippet",
                                 "text", &snippet),
                     0);
    assert_int_equal(line, 40);
    assert_int_equal(first, 39);
    assert_int_equal(last, 41);
    assert_string_equal(snippet, v.finding.place.source.text);
    json_decref(log);
    report_free(&report);
}

/* The same finding in a later run, at another line and offset, is the same alert. */
static void fingerprint_survives_an_edit_above_the_line(void **state)
{
    (void)state;
    const char *prints[3];
    json_t *logs[3];
    for (int i = 0; i < 3; i++) {
        struct verdict v = sample_race();
        v.finding.place.line += (uint32_t)i;
        v.finding.place.offset_bytes += 8 * i;
        v.finding.kind = i == 2 ? FINDING_INIT : FINDING_RACE;
        struct report report = sample_report(&v, 1, false);
        logs[i] = sarif_of(&report);
        assert_int_equal(json_unpack(json_array_get(json_object_get(first_run(logs[i]), "results"), 0), "{s:{s:s}}",
                                     "partialFingerprints", "hipcontract/v1", &prints[i]),
                         0);
        report_free(&report);
    }
    assert_string_equal(prints[0], prints[1]);
    assert_string_not_equal(prints[0], prints[2]);
    for (int i = 0; i < 3; i++)
        json_decref(logs[i]);
}

/* --- all of them --- */

static void file_without_room_is_one_clear_line(void **state)
{
    (void)state;
    report_writer *const writers[] = {junit_write, receipt_write, sarif_write};
    struct verdict v = sample_race();
    struct report report = sample_report(&v, 1, false);
    for (size_t i = 0; i < sizeof writers / sizeof *writers; i++) {
        struct error error = {0};
        FILE *full = fopen("/dev/full", "w");
        assert_non_null(full);
        assert_false(writers[i](full, &report, &error));
        assert_int_equal(error.status, STATUS_USAGE);
        assert_holds(error.text, "the report cannot be written");
        fclose(full);
    }
    report_free(&report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(xml_holds_only_characters_of_xml),
        cmocka_unit_test(xml_keeps_line_ends),
        cmocka_unit_test(markdown_text_is_no_markup_and_mentions_nobody),
        cmocka_unit_test(source_path_has_no_detours),
        cmocka_unit_test(junit_counts_each_outcome_once),
        cmocka_unit_test(junit_failure_begins_with_the_whole_story),
        cmocka_unit_test(junit_tells_a_run_that_is_not_whole),
        cmocka_unit_test(annotation_escapes_what_a_command_ends_at),
        cmocka_unit_test(annotation_points_at_the_kernel_s_line_where_a_finding_names_it),
        cmocka_unit_test(annotation_without_a_place_names_none),
        cmocka_unit_test(one_annotation_a_kernel_worst_first_then_a_count),
        cmocka_unit_test(run_that_holds_has_no_annotation),
        cmocka_unit_test(receipt_holds_what_a_reviewer_asks_for),
        cmocka_unit_test(receipt_shows_the_worst_of_a_kernel_and_gate),
        cmocka_unit_test(receipt_of_a_whole_run_that_holds_says_so),
        cmocka_unit_test(receipt_fits_by_dropping_detail),
        cmocka_unit_test(step_summary_stays_under_a_mebibyte),
        cmocka_unit_test(step_summary_that_cannot_be_written_is_one_line),
        cmocka_unit_test(sarif_holds_findings_of_kernels_alone),
        cmocka_unit_test(known_finding_is_suppressed),
        cmocka_unit_test(finding_without_a_line_stands_where_the_kernel_is_registered),
        cmocka_unit_test(source_lines_round_a_finding_are_its_context),
        cmocka_unit_test(fingerprint_survives_an_edit_above_the_line),
        cmocka_unit_test(file_without_room_is_one_clear_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
