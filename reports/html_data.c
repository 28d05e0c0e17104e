#include "reports/html_data.h"

#include "reports/counts_json.h"
#include "reports/values_json.h"
#include "reports/verdict_json.h"

/* What the data of one report is made with. */
struct making {
    const struct report *report;
    struct arena *arena;
    enum html_detail detail;
    json_t *texts, *places; /* each text once, and the place of each */
};

/* A text by its place among those of the report. */
static json_t *text_place(struct making *making, const char *text)
{
    json_t *place = json_object_get(making->places, text);
    if (!place) {
        json_object_set_new(making->places, text, json_integer((json_int_t)json_array_size(making->texts)));
        json_array_append_new(making->texts, json_string(text));
        place = json_object_get(making->places, text);
    }
    return json_incref(place);
}

static bool is_case(const struct verdict *v)
{
    return v->subject == SUBJECT_GATE;
}

/* The place of a problem, worst first; n_problems of a verdict that is none. */
static size_t rank_of(const struct report *report, const struct verdict *v)
{
    size_t rank = 0;
    while (rank < report->n_problems && report->problems[rank] != v)
        rank++;
    return rank;
}

/* What its row of a case does not say. */
static bool has_detail(const struct making *making, const struct report_kernel *kernel, const struct verdict *v)
{
    if (!is_case(v) || v == kernel->worst)
        return true;
    if (v->status == VERDICT_PASS)
        return v->has_finding;
    size_t n_problems = making->report->n_problems, rank = rank_of(making->report, v);
    return making->detail < HTML_FEW_PROBLEMS || rank < HTML_PROBLEMS || rank == n_problems;
}

static void add_problem(struct making *making, const struct verdict *v, json_t *object)
{
    const struct report *report = making->report;
    size_t rank = rank_of(report, v);
    if (rank == report->n_problems)
        return;
    json_object_set_new(object, "rank", json_integer((json_int_t)rank));
    json_object_set_new(object, "repeat", json_string(report_repro(report, v, making->arena)));
}

static json_t *verdict_detail(struct making *making, const struct report_kernel *kernel, const struct verdict *v)
{
    static const char *const said_elsewhere[] = {"record", "chip",   "registration", "file",        "line",
                                                 "code",   "output", "twin_code",    "duration_ns", "ratio_histogram"};
    json_t *object = verdict_to_json(v);
    for (size_t i = 0; object && i < sizeof said_elsewhere / sizeof *said_elsewhere; i++)
        json_object_del(object, said_elsewhere[i]);
    if (object && v != kernel->worst) {
        json_object_del(object, "diagnosis");
        json_object_del(object, "error_map");
    }
    add_problem(making, v, object);
    return object;
}

static json_t *ratio_to_json(const struct verdict *v)
{
    return v->gate == GATE_BOUND ? number_to_json(v->worst_ratio) : json_null();
}

static json_t *case_row(struct making *making, const struct verdict *v)
{
    return json_pack("[i, o, o, o, o, o, I, I, I, I]", v->gate, text_place(making, v->name), text_place(making, v->shape),
                     text_place(making, v->pattern), text_place(making, verdict_status_name(v->status)), ratio_to_json(v),
                     (json_int_t)v->n_compared, (json_int_t)v->n_wrong, (json_int_t)v->n_undecided,
                     (json_int_t)v->duration_ns);
}

static json_t *histogram_of(const struct report_kernel *kernel)
{
    json_t *counts = json_array();
    for (int bin = 0; bin < RATIO_BINS; bin++) {
        json_int_t count = 0;
        for (size_t i = 0; i < kernel->n_verdicts; i++)
            count += is_case(kernel->verdicts[i]) ? kernel->verdicts[i]->ratio_histogram[bin] : 0;
        json_array_append_new(counts, json_integer(count));
    }
    return counts;
}

static void add_verdicts(struct making *making, const struct report_kernel *kernel, json_t *object)
{
    json_t *cases = json_array(), *verdicts = json_array();
    json_int_t n_cases = 0;
    for (size_t i = 0; i < kernel->n_verdicts; i++) {
        const struct verdict *v = kernel->verdicts[i];
        json_t *place = has_detail(making, kernel, v) ? json_integer((json_int_t)json_array_size(verdicts)) : NULL;
        if (place)
            json_array_append_new(verdicts, verdict_detail(making, kernel, v));
        if (v == kernel->worst)
            json_object_set(object, "worst", place);
        n_cases += is_case(v);
        if (is_case(v) && (making->detail == HTML_ALL_CASES || v->status != VERDICT_PASS)) {
            json_t *row = case_row(making, v);
            if (place)
                json_array_append(row, place);
            json_array_append_new(cases, row);
        }
        json_decref(place);
    }
    json_object_set_new(object, "n_cases", json_integer(n_cases));
    json_object_set_new(object, "cases", cases);
    json_object_set_new(object, "verdicts", verdicts);
}

/* NULL where there are none. */
static json_t *past_to_json(const struct report_past *past)
{
    if (past->n_worst_ratios == 0 && past->n_vgprs == 0)
        return NULL;
    json_t *ratios = json_array(), *vgprs = json_array();
    for (size_t i = 0; i < past->n_worst_ratios; i++)
        json_array_append_new(ratios, number_to_json(past->worst_ratios[i]));
    for (size_t i = 0; i < past->n_vgprs; i++)
        json_array_append_new(vgprs, json_integer(past->vgprs[i]));
    return json_pack("{s:o, s:o}", "ratios", ratios, "vgprs", vgprs);
}

static json_t *kernel_to_json(struct making *making, const struct report_kernel *kernel)
{
    const struct verdict *first = kernel->verdicts[0];
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:b, s:s, s:i, s:I, s:o, s:o*}", "registration", kernel->registration, "chip",
                  kernel->chip, "state", report_state_name(kernel->state), "has_limits_only", kernel->has_limits_only,
                  "file", first->file, "line", first->line, "ns", (json_int_t)kernel->duration_ns, "histogram",
                  histogram_of(kernel), "past", past_to_json(&kernel->past));
    if (object)
        add_verdicts(making, kernel, object);
    return object;
}

static json_t *counts_list(const struct counts *counts)
{
    json_t *chips = json_array();
    for (size_t i = 0; i < counts->n_chips; i++)
        json_array_append_new(chips, counts_to_json(&counts->chips[i]));
    return chips;
}

json_t *html_data(const struct report *report, struct arena *arena, enum html_detail detail)
{
    struct making making = {report, arena, detail, json_array(), json_object()};
    json_t *notes = json_array(), *kernels = json_array();
    for (size_t i = 0; i < report->n_notes; i++)
        json_array_append_new(notes, json_string(report->notes[i]));
    for (size_t i = 0; i < report->n_kernels; i++)
        json_array_append_new(kernels, kernel_to_json(&making, &report->kernels[i]));
    json_decref(making.places);
    return json_pack("{s:o, s:i, s:o, s:o, s:i, s:I, s:o, s:o}", "environment",
                     log_environment_to_json(&report->environment), "exit", (int)report->status, "notes", notes, "counts",
                     counts_list(&report->counts), "bound_bin", RATIO_BIN_BOUND, "n_problems",
                     (json_int_t)report->n_problems, "texts", making.texts, "kernels", kernels);
}
