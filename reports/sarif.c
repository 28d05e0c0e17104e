#include "reports/sarif.h"

#include <ctype.h>
#include <string.h>

#include <jansson.h>

#include "contract/base/hash.h"
#include "contract/base/text.h"
#include "reports/headline.h"
#include "reports/output.h"
#include "reports/source_path.h"
#include "reports/json_text.h"
#include "reports/utf8.h"

/* What each check is about, for who has not met it. */
static const char *const descriptions[FINDING_KIND_COUNT] = {
    [FINDING_MEM] = "An access outside an allocation, to freed or null memory, misaligned, or outside the workgroup's LDS",
    [FINDING_INIT] = "A value that nobody wrote reaches an address, a branch, a store or an atomic",
    [FINDING_RACE] = "Two accesses to one byte, one of them a write, that nothing orders",
    [FINDING_SYNC] = "A barrier that not all waves of the workgroup reach",
    [FINDING_WAIT] = "A register is used before the wait that its value needs",
    [FINDING_NAN] = "A NaN or infinity appears that no operand held",
    [FINDING_TRAP] = "A trap instruction ends the kernel",
    [FINDING_WATCHDOG] = "A wave executes more instructions than are allowed",
    [FINDING_UNSUPPORTED] = "An instruction that the emulator does not implement",
};

static bool is_result(const struct verdict *v)
{
    return v->subject == SUBJECT_GATE && v->has_finding;
}

/* A string of any text. */
static json_t *words(const char *words)
{
    struct text valid = {0};
    for (const char *at = words; *at;) {
        uint32_t point;
        size_t n_bytes = utf8_decode(at, &point);
        text_append(&valid, "%.*s", (int)(n_bytes ? n_bytes : sizeof UTF8_REPLACEMENT - 1),
                    n_bytes ? at : UTF8_REPLACEMENT);
        at += n_bytes ? n_bytes : 1;
    }
    json_t *string = valid.failed ? NULL : json_string(valid.data ? valid.data : "");
    text_free(&valid);
    return string;
}

static json_t *message(const char *text)
{
    return json_pack("{s:o}", "text", words(text));
}

/* RFC 3986: a path of which only unreserved characters and slashes stand for themselves. Absolute ones become file URIs,
 * others are below the root of the sources. */
static json_t *artifact(const char *file)
{
    char path[VERDICT_FILE_BYTES];
    struct text uri = {0};
    source_path(file, path, sizeof path);
    text_append(&uri, "%s", *path == '/' ? "file://" : "");
    for (const char *at = path; *at; at++)
        text_append(&uri, isalnum((unsigned char)*at) || strchr("-._~/", *at) ? "%c" : "%%%02X", (unsigned char)*at);
    json_t *object = uri.failed ? NULL : json_pack("{s:s}", "uri", uri.data);
    if (object && *path != '/')
        json_object_set_new(object, "uriBaseId", json_string("SRCROOT"));
    text_free(&uri);
    return object;
}

static json_t *physical_location(const char *file, int line)
{
    return json_pack("{s:o, s:{s:i}}", "artifactLocation", artifact(file), "region", "startLine", line > 0 ? line : 1);
}

static int count_lines(const char *text)
{
    int n = 0;
    for (; *text; text++)
        n += *text == '\n';
    return n;
}

/* The lines round the place's own, where there are any: by the standard the region of a context holds more than the place.
 */
static void add_context(json_t *physical, const struct finding_place *place)
{
    const struct finding_listing *source = &place->source;
    int n = count_lines(source->text), first = (int)place->line - source->at;
    if (n > 1 && first > 0)
        json_object_set_new(physical, "contextRegion",
                            json_pack("{s:i, s:i, s:{s:o}}", "startLine", first, "endLine", first + n - 1, "snippet",
                                      "text", words(source->text)));
}

/* A party of a finding; where its code has no line tables, `file` and `line` stand in for it, which may be "". */
static json_t *location(const struct finding_place *place, const char *file, int line)
{
    json_t *object = json_object(), *physical = NULL;
    bool known = *place->file != '\0';
    if (known || *file)
        physical = physical_location(known ? place->file : file, known ? (int)place->line : line);
    if (known)
        add_context(physical, place);
    if (physical)
        json_object_set_new(object, "physicalLocation", physical);
    if (*place->kernel)
        json_object_set_new(object, "logicalLocations",
                            json_pack("[{s:s, s:s}]", "fullyQualifiedName", place->kernel, "kind", "function"));
    return object;
}

/* The second party of a race, as another place to look at. */
static json_t *related(const struct finding *finding, const struct verdict *v)
{
    json_t *object = location(&finding->other, v->file, v->line);
    json_object_set_new(object, "message", message(*finding->other.instruction ? finding->other.instruction : "the other"));
    return json_pack("[o]", object);
}

/* The same from one run to the next, whatever lines and addresses become. */
static json_t *fingerprint(const struct verdict *v)
{
    struct text identity = {0};
    char hex[33];
    text_append(&identity, "%s %s %s %s", finding_kind_name(v->finding.kind), v->finding.place.kernel, v->registration,
                v->chip);
    if (identity.failed)
        return NULL;
    hash_hex(hash_bytes(identity.data, identity.length), hex);
    text_free(&identity);
    return json_pack("{s:s}", "hipcontract/v1", hex);
}

static json_t *properties(const struct report *report, const struct verdict *v)
{
    const struct finding_place *at = &v->finding.place;
    struct arena arena = {0};
    const char *repro = report_repro(report, v, &arena);
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:I, s:[i,i,i], s:i, s:i, s:s}", "registration", v->registration, "chip",
                  v->chip, "shape", v->shape, "pattern", v->pattern, "instruction", at->instruction, "offset",
                  (json_int_t)at->offset_bytes, "workgroup", (int)at->workgroup[0], (int)at->workgroup[1],
                  (int)at->workgroup[2], "wave", at->wave, "lane", at->lane, "repeatWith", repro ? repro : "");
    arena_free(&arena);
    return object;
}

static json_t *result(const struct report *report, const struct verdict *v)
{
    struct text line = {0};
    headline_place(v, &line);
    text_append(&line, ": %s", v->finding.text);
    json_t *object = line.failed ? NULL
                                 : json_pack("{s:s, s:i, s:s, s:o, s:[o], s:o, s:o}", "ruleId",
                                             finding_kind_name(v->finding.kind), "ruleIndex", (int)v->finding.kind, "level",
                                             verdict_status_is_red(v->status) ? "error" : "warning", "message",
                                             message(line.data), "locations", location(&v->finding.place, v->file, v->line),
                                             "partialFingerprints", fingerprint(v), "properties", properties(report, v));
    text_free(&line);
    if (object && v->finding.has_other)
        json_object_set_new(object, "relatedLocations", related(&v->finding, v));
    if (object && v->status == VERDICT_KNOWN_FINDING)
        json_object_set_new(object, "suppressions",
                            json_pack("[{s:s, s:o}]", "kind", "external", "justification", words(v->reason)));
    return object;
}

static json_t *results(const struct report *report)
{
    json_t *array = json_array();
    bool ok = array != NULL;
    for (size_t i = 0; i < report->n_kernels; i++) {
        const struct report_kernel *kernel = &report->kernels[i];
        for (size_t k = 0; k < kernel->n_verdicts && ok; k++)
            if (is_result(kernel->verdicts[k]))
                ok = json_array_append_new(array, result(report, kernel->verdicts[k])) == 0;
    }
    if (ok)
        return array;
    json_decref(array);
    return NULL;
}

static json_t *rules(void)
{
    json_t *array = json_array();
    for (int kind = 0; kind < FINDING_KIND_COUNT; kind++)
        json_array_append_new(array, json_pack("{s:s, s:o}", "id", finding_kind_name((enum finding_kind)kind),
                                               "shortDescription", message(descriptions[kind])));
    return array;
}

static json_t *notifications(const struct report *report)
{
    json_t *array = json_array();
    for (size_t i = 0; i < report->n_notes; i++)
        json_array_append_new(array, json_pack("{s:s, s:o}", "level", "warning", "message", message(report->notes[i])));
    return array;
}

static json_t *run(const struct report *report)
{
    const struct log_environment *e = &report->environment;
    return json_pack("{s:{s:{s:s, s:s, s:o}}, s:[{s:b, s:o}], s:{s:{s:o}}, s:s, s:o, s:{s:s*, s:s*, s:s*, s:s*}}", "tool",
                     "driver", "name", "hipcontract", "version", e->version ? e->version : "", "rules", rules(),
                     "invocations", "executionSuccessful", report->n_notes == 0, "toolExecutionNotifications",
                     notifications(report), "originalUriBaseIds", "SRCROOT", "description",
                     message("the root of the kernels' sources"), "columnKind", "utf16CodeUnits", "results",
                     results(report), "properties", "commit", e->commit, "toolchain", e->toolchain, "compiler", e->compiler,
                     "device", e->device);
}

bool sarif_write(FILE *out, const struct report *report, struct error *error)
{
    json_t *log = json_pack("{s:s, s:s, s:[o]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json", "version",
                            "2.1.0", "runs", run(report));
    return output_end(out, json_write(out, log, JSON_INDENT(1)), error);
}
