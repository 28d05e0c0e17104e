#include "contract/teeth.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "contract/harness_fault.h"

/* A catch of so many bounds needs no second case; an excused tooth is tried on so many cases. */
enum { STRONG_CATCH = 2, EXCUSED_TRIES = 8 };

static const char *const names[] = {
#define TOOTH_NAME(kind, name) name,
    TEETH(TOOTH_NAME)
#undef TOOTH_NAME
};

static const struct policy policies[TEETH_N_POLICIES] = {
    [TOOTH_SUM_FP16] = {.sum_format = FORMAT_F16, .product_format = FORMAT_F64, .result_format = FORMAT_F64},
    [TOOTH_SUM_BF16] = {.sum_format = FORMAT_BF16, .product_format = FORMAT_F64, .result_format = FORMAT_F64},
    [TOOTH_PRODUCT_FP16] = {.sum_format = FORMAT_F64, .product_format = FORMAT_F16, .result_format = FORMAT_F64},
    [TOOTH_RESULT_FP16] = {.sum_format = FORMAT_F64, .product_format = FORMAT_F64, .result_format = FORMAT_F16},
    [TOOTH_RESULT_BF16] = {.sum_format = FORMAT_F64, .product_format = FORMAT_F64, .result_format = FORMAT_BF16},
    [TOOTH_DROP_LAST] = {FORMAT_F64, FORMAT_F64, FORMAT_F64, .drop_last_term = true},
    [TOOTH_DROP_TAIL] = {FORMAT_F64, FORMAT_F64, FORMAT_F64, .tail_tile = TOOTH_TAIL_TILE},
    [TOOTH_ROW_LATE] = {FORMAT_F64, FORMAT_F64, FORMAT_F64, .row_shift = 1},
};

const char *tooth_name(enum tooth tooth)
{
    return names[tooth];
}

void teeth_begin(struct teeth *teeth, const struct registration *registration)
{
    *teeth = (struct teeth){.registration = registration};
}

/* Wrong outputs of a case, as bytes. */
struct wrong_outputs {
    unsigned char *data[REG_MAX_TENSORS];
    struct arena arena;
};

static bool wrong_open(struct wrong_outputs *wrong, const struct reg_plan *plan, struct error *error)
{
    *wrong = (struct wrong_outputs){0};
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1))
        if (!(wrong->data[t] = arena_alloc(&wrong->arena, tensor_bytes(&plan->tensor[t]))))
            return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the outputs of teeth");
    return true;
}

static struct outputs as_outputs(const struct wrong_outputs *wrong)
{
    struct outputs outputs = {0};
    for (int t = 0; t < REG_MAX_TENSORS; t++)
        outputs.data[t] = wrong->data[t];
    return outputs;
}

static bool model_outputs(const struct host_case *host, const struct policy *policy, struct wrong_outputs *wrong,
                          struct error *error)
{
    for (int t = next_output(&host->plan, 0); t >= 0; t = next_output(&host->plan, t + 1)) {
        const struct reg_tensor *tensor = &host->plan.tensor[t];
        double *model = calloc((size_t)tensor_elements(tensor), sizeof *model);
        if (!model)
            return error_set(error, STATUS_ENVIRONMENT, "out of host memory for the models of teeth");
        host->c.registration->model(&host->c, t, policy, model);
        for (int64_t i = 0; i < tensor_elements(tensor); i++)
            format_store(tensor->format, wrong->data[t], i, model[i]);
        free(model);
    }
    return true;
}

/* The first input's values, as a kernel that only copies would leave them. */
static void copy_input(const struct host_case *host, int to, unsigned char *data)
{
    int from = 0;
    while (from < host->plan.n_tensors && host->plan.tensor[from].role != REG_INPUT)
        from++;
    const struct reg_tensor *output = &host->plan.tensor[to];
    for (int64_t i = 0; i < tensor_elements(output) && from < host->plan.n_tensors; i++) {
        const struct reg_tensor *input = &host->plan.tensor[from];
        format_store(output->format, data, i, format_load(input->format, host->c.data[from], i % tensor_elements(input)));
    }
}

static void broken_tensor(const struct host_case *host, enum tooth tooth, enum poison poison, int t, unsigned char *data)
{
    const struct reg_tensor *tensor = &host->plan.tensor[t];
    memset(data, 0, tensor_bytes(tensor));
    if (tooth == TOOTH_COPIED_INPUT)
        copy_input(host, t, data);
    for (int64_t i = 0; tooth == TOOTH_NAN && i < tensor_elements(tensor); i++)
        format_store(tensor->format, data, i, format_facts(tensor->format)->is_float ? NAN : -1);
    for (size_t i = 0; (tooth == TOOTH_UNTOUCHED || tooth == TOOTH_FIRST_RUN_ONLY) && i < tensor_bytes(tensor); i++)
        data[i] = poison_byte(poison, i);
}

static void broken_outputs(const struct host_case *host, enum tooth tooth, enum poison poison, struct wrong_outputs *wrong)
{
    for (int t = next_output(&host->plan, 0); t >= 0; t = next_output(&host->plan, t + 1))
        broken_tensor(host, tooth, poison, t, wrong->data[t]);
}

static bool same_bytes(const struct reg_plan *plan, const struct wrong_outputs *a, const struct wrong_outputs *b)
{
    for (int t = next_output(plan, 0); t >= 0; t = next_output(plan, t + 1))
        if (memcmp(a->data[t], b->data[t], tensor_bytes(&plan->tensor[t])) != 0)
            return false;
    return true;
}

/* A broken launch as two runs of gate 1 would see it: the first right (or untouched), the second untouched. */
static void judge_runs(const struct host_case *host, enum tooth tooth, const struct wrong_outputs *truth,
                       struct wrong_outputs *first, struct wrong_outputs *second, struct verdict *verdict)
{
    broken_outputs(host, tooth, POISON_NAN, first);
    broken_outputs(host, tooth, POISON_PATTERN, second);
    struct outputs one = as_outputs(tooth == TOOTH_FIRST_RUN_ONLY ? truth : first), two = as_outputs(second);
    gate1_compare(&host->plan, &one, POISON_NAN, &two, POISON_PATTERN, "run 1", "run 2", verdict);
    verdict->worst_ratio = verdict->status == VERDICT_FAIL ? RATIO_UNBOUNDED : 0;
}

/* How strongly a verdict on wrong outputs catches them: 0 not at all, gate 3's ratio, infinite at the gates that have no
 * degrees. */
static double strength(const struct verdict *verdict)
{
    if (harness_has(HARNESS_TEETH_CAUGHT))
        return RATIO_UNBOUNDED;
    if (verdict->status != VERDICT_FAIL)
        return 0;
    return verdict->gate == GATE_BOUND ? verdict->worst_ratio : RATIO_UNBOUNDED;
}

static void keep_best(struct teeth *teeth, enum tooth tooth, struct verdict *verdict)
{
    double caught = strength(verdict);
    struct verdict *best = &teeth->best[tooth];
    teeth->n_tried[tooth]++;
    if (caught == 0 || (best->gate != 0 && caught <= best->worst_ratio))
        return;
    verdict->worst_ratio = caught;
    *best = *verdict;
}

/* The scratch space of one case's teeth. */
struct bite {
    struct wrong_outputs truth, first, second;
};

static bool bite_open(struct bite *bite, const struct host_case *host, struct error *error)
{
    *bite = (struct bite){0};
    return wrong_open(&bite->truth, &host->plan, error) && wrong_open(&bite->first, &host->plan, error) &&
           wrong_open(&bite->second, &host->plan, error) && model_outputs(host, &policy_true, &bite->truth, error);
}

static void bite_close(struct bite *bite)
{
    arena_free(&bite->truth.arena);
    arena_free(&bite->first.arena);
    arena_free(&bite->second.arena);
}

static bool try_one(struct teeth *teeth, const struct host_case *host, enum tooth tooth, struct bite *bite,
                    struct error *error)
{
    bool two_runs = tooth == TOOTH_UNTOUCHED || tooth == TOOTH_FIRST_RUN_ONLY;
    struct verdict verdict = verdict_for_case(host, NULL, two_runs ? GATE_BYTES : gate_of_pattern(host->c.pattern));
    if (two_runs) {
        judge_runs(host, tooth, &bite->truth, &bite->first, &bite->second, &verdict);
    } else {
        if (tooth >= TOOTH_ZEROS)
            broken_outputs(host, tooth, POISON_NAN, &bite->first);
        else if (!model_outputs(host, &policies[tooth], &bite->first, error))
            return false;
        struct outputs outputs = as_outputs(&bite->first);
        teeth->differs[tooth] |= !same_bytes(&host->plan, &bite->truth, &bite->first);
        gate_judge(host, &outputs, &verdict);
    }
    keep_best(teeth, tooth, &verdict);
    return true;
}

static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = list; at && (at = strstr(at, name)) != NULL; at += length)
        if ((at == list || at[-1] == ',' || at[-1] == ' ') &&
            (at[length] == ',' || at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

/* The tooth rounds to a format that every output is stored in anyway, so it is no fault. */
static bool is_no_fault(const struct registration *r, enum tooth tooth)
{
    if (tooth != TOOTH_RESULT_FP16 && tooth != TOOTH_RESULT_BF16)
        return false;
    struct reg_plan plan = {0};
    if (!r->plan(&r->shapes[0], &plan, NULL))
        return false;
    for (int t = next_output(&plan, 0); t >= 0; t = next_output(&plan, t + 1))
        if (plan.tensor[t].format != policies[tooth].result_format)
            return false;
    return true;
}

/* Whether another case can tell more about a tooth: not once it is strongly caught, nor where it is no fault; one that is
 * excused is tried on a few cases only, so that a wrong excuse shows without paying for every case. */
static bool is_open(const struct teeth *teeth, enum tooth tooth)
{
    const struct registration *r = teeth->registration;
    if (teeth->best[tooth].gate != 0)
        return teeth->best[tooth].worst_ratio < STRONG_CATCH;
    if (is_no_fault(r, tooth))
        return false;
    return teeth->n_tried[tooth] < EXCUSED_TRIES || !is_listed(r->blind_teeth, names[tooth]);
}

bool teeth_done(const struct teeth *teeth)
{
    for (int tooth = 0; tooth < TOOTH_COUNT; tooth++)
        if (is_open(teeth, (enum tooth)tooth))
            return false;
    return true;
}

/* A catch means something only where the model without a fault passes. Where planted classes or extreme values may overflow
 * in the kernel's formats and not in the model's float64, such a case is left out; elsewhere the model is wrong. */
static bool truth_passes(const struct host_case *host, const struct bite *bite, bool *is_usable, struct error *error)
{
    struct verdict verdict = verdict_for_case(host, NULL, gate_of_pattern(host->c.pattern));
    struct outputs outputs = as_outputs(&bite->truth);
    gate_judge(host, &outputs, &verdict);
    *is_usable = verdict.status == VERDICT_PASS;
    if (*is_usable || host->c.pattern == REG_PATTERN_CLASSES || host->c.pattern == REG_PATTERN_EDGES)
        return true;
    return error_set(error, STATUS_USAGE,
                     "registration %s, shape %s, pattern %s: the model without a fault fails its own gate: %.300s",
                     host->c.registration->name, host->c.shape->label, reg_pattern_name(host->c.pattern), verdict.reason);
}

bool teeth_try(struct teeth *teeth, const struct host_case *host, struct error *error)
{
    if (teeth_done(teeth))
        return true;
    struct bite bite;
    bool is_usable = false;
    bool ok = bite_open(&bite, host, error) && truth_passes(host, &bite, &is_usable, error);
    for (int tooth = 0; tooth < TOOTH_COUNT && ok && is_usable; tooth++)
        if (is_open(teeth, (enum tooth)tooth))
            ok = try_one(teeth, host, (enum tooth)tooth, &bite, error);
    bite_close(&bite);
    return ok;
}

static void judge_uncaught(const struct teeth *teeth, enum tooth tooth, bool partial, struct verdict *verdict)
{
    const struct registration *r = teeth->registration;
    if (is_no_fault(r, tooth)) {
        verdict->status = VERDICT_NOT_RUN;
        verdict_reason(verdict, "the outputs are stored in that format");
    } else if (is_listed(r->blind_teeth, names[tooth])) {
        verdict->status = VERDICT_EXCUSED;
        verdict_reason(verdict, "no gate catches it: %s", r->blind_reason);
    } else if (partial || teeth->n_tried[tooth] == 0) {
        verdict->status = VERDICT_NOT_RUN;
        verdict_reason(verdict, "not caught by the cases that were run; others were left out");
    } else {
        verdict->status = VERDICT_BLIND;
        verdict_reason(verdict, "%s",
                       teeth->differs[tooth] ? "no gate catches it at any shape"
                                             : "it changes no output at any shape, so nothing can catch it");
    }
}

struct verdict teeth_verdict(const struct teeth *teeth, enum tooth tooth, bool partial)
{
    struct verdict verdict = teeth->best[tooth];
    if (verdict.gate != 0)
        verdict.status = VERDICT_PASS;
    else
        judge_uncaught(teeth, tooth, partial, &verdict);
    verdict.subject = SUBJECT_TOOTH;
    verdict_registration(&verdict, teeth->registration);
    snprintf(verdict.name, sizeof verdict.name, "%s", names[tooth]);
    snprintf(verdict.device, sizeof verdict.device, "host");
    return verdict;
}
