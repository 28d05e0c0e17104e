#include "contract/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "contract/base/clock.h"
#include "contract/base/globs.h"
#include "contract/base/words.h"
#include "contract/bytes.h"
#include "contract/case_outputs.h"
#include "contract/depth.h"
#include "contract/diagnosis.h"
#include "contract/error_map.h"
#include "contract/harness_fault.h"
#include "contract/known.h"
#include "contract/launcher.h"
#include "contract/teeth.h"
#include "contract/twin.h"
#include "contract/work.h"

/* What is known of one registration while its cases run. */
struct registration_run {
    struct run *run;
    const struct registration *registration;
    struct launch_target target;
    struct twin twin;
    struct teeth teeth;
    char modelled[VERDICT_MODELLED_BYTES]; /* instructions of the kernel that rest on an assumption */
    bool gate_failed[GATE_LIMITS + 1];
    int64_t n_nonfinite, n_finite; /* gate 2, over all cases */
    struct verdict proof;          /* gate 4: the case with the largest smaller miss; gate 0: none */
    bool left_out;                 /* some shape was not selected */
    bool has_float_output, ran_classes;
    bool does_not_end; /* the kernel, in some case: the device's watchdog ended it, and would in each */
    uint64_t start_ns;
};

bool run_selects(const struct registry *registry, const struct run_options *options, size_t index)
{
    return (!options->part || options->part[index]) &&
           globs_choose(options->only, options->n_only, registry->registrations[index]->name);
}

static bool has_quick(const struct registration *registration)
{
    for (size_t i = 0; i < registration->n_shapes; i++)
        if (registration->shapes[i].quick)
            return true;
    return false;
}

bool run_selects_shape(const struct run_options *options, const struct registration *registration,
                       const struct reg_shape *shape)
{
    if (options->quick && has_quick(registration))
        return shape->quick;
    return options->full || !shape->heavy;
}

static void copy_text(char *to, size_t n_bytes, const char *from)
{
    snprintf(to, n_bytes, "%s", from);
}

static struct verdict verdict_for(const struct registration_run *rr, enum verdict_subject subject, int gate,
                                  enum verdict_status status)
{
    struct verdict v = {.subject = subject, .status = status, .gate = gate, .worst.index = -1, .code = rr->target.code};
    const struct device *device = rr->run->builds.device;
    copy_text(v.chip, sizeof v.chip, device->chip);
    copy_text(v.device, sizeof v.device, device->kind);
    verdict_registration(&v, rr->registration);
    return v;
}

/* Every gate verdict passes here: known findings are told from new ones, and what needs all cases is noted. */
static void put_gate(struct registration_run *rr, struct verdict *v)
{
    bool failed = v->status == VERDICT_FAIL;
    if (v->gate > GATE_BYTES && v->gate < GATE_LIMITS)
        words_add_list(v->modelled, sizeof v->modelled, rr->modelled);
    known_apply(rr->registration, rr->run->options->today, v);
    rr->gate_failed[v->gate] |= failed;
    rr->does_not_end |= v->has_finding && v->finding.kind == FINDING_WATCHDOG;
    rr->n_nonfinite += v->n_nonfinite;
    rr->n_finite += v->n_finite;
    rr->ran_classes |= v->gate == GATE_CLASSES && v->n_compared > 0;
    double miss = fmin(v->miss_fp16, v->miss_bf16);
    if (v->gate == GATE_EXACT && v->status == VERDICT_PASS &&
        (rr->proof.gate == 0 || miss > fmin(rr->proof.miss_fp16, rr->proof.miss_bf16)))
        rr->proof = *v;
    stream_put(rr->run->stream, v);
}

static void put_invalid(struct registration_run *rr, const struct host_case *host, int gate, const struct error *error)
{
    struct verdict v = verdict_for_case(host, &rr->target, gate);
    v.status = VERDICT_INVALID;
    verdict_reason(&v, "%.690s", error->text);
    put_gate(rr, &v);
}

/* Judges the first run's outputs by the pattern's gate, or says that there are none. */
static bool judge_case(struct registration_run *rr, const struct host_case *host, const struct outputs *first,
                       struct error *error)
{
    struct verdict v = verdict_for_case(host, &rr->target, gate_of_pattern(host->c.pattern));
    uint64_t start_ns = clock_ns();
    if (!first->data[next_output(&host->plan, 0)]) {
        v.status = VERDICT_NOT_RUN;
        verdict_reason(&v, "the launch left no outputs to judge");
    } else {
        gate_judge(host, first, &v);
        if (v.gate == GATE_BOUND) {
            error_map_measure(host, first, &v);
            diagnosis_make(host, first, &v);
        }
        if (v.gate == GATE_EXACT && v.status != VERDICT_INVALID && !gate4_misses(host, &v, error))
            return false;
        if (v.gate == GATE_BOUND && !twin_judge(&rr->twin, host, first, rr->run->options->checks, &v, error))
            return false;
        if (v.gate == GATE_BOUND)
            depth_judge(&rr->target, host, rr->run->options->checks, &v);
    }
    v.duration_ns = clock_ns() - start_ns;
    put_gate(rr, &v);
    return true;
}

/* A model that is wrong makes the registration invalid; the run goes on. */
static bool try_teeth(struct registration_run *rr, const struct host_case *host, struct error *error)
{
    struct error wrong = {0};
    if (rr->run->options->no_teeth || teeth_try(&rr->teeth, host, &wrong))
        return true;
    if (wrong.status != STATUS_USAGE) {
        *error = wrong;
        return false;
    }
    put_invalid(rr, host, gate_of_pattern(host->c.pattern), &wrong);
    return true;
}

static bool run_opened_case(struct registration_run *rr, struct host_case *host, struct error *error)
{
    const struct run_options *options = rr->run->options;
    int64_t n_audited = 0;
    if (!host_case_reference(host, error))
        return false;
    struct error wrong = {0};
    if (gate_of_pattern(host->c.pattern) == GATE_BOUND && !audit_reference(host, &n_audited, &wrong))
        put_invalid(rr, host, GATE_BOUND, &wrong);
    struct gate1_options runs = {options->n_runs, reg_key(&host->c, 0).value, .checks = options->checks};
    struct outputs first = {0};
    struct verdict v = verdict_for_case(host, &rr->target, GATE_BYTES);
    uint64_t start_ns = clock_ns();
    bool ok = case_outputs_run(&rr->target, host, &runs, rr->run->stream, &first, &v, error);
    v.duration_ns = clock_ns() - start_ns;
    put_gate(rr, &v);
    return ok && judge_case(rr, host, &first, error) && try_teeth(rr, host, error);
}

static bool run_case(struct registration_run *rr, const struct reg_shape *shape, enum reg_pattern pattern,
                     struct error *error)
{
    struct host_case host;
    const struct run_options *options = rr->run->options;
    bool ok = host_case_open(&host, rr->registration, shape, pattern, options->seed, options->n_threads, error);
    if (ok)
        ok = run_opened_case(rr, &host, error);
    else if (error->status == STATUS_USAGE) {
        put_invalid(rr, &host, gate_of_pattern(pattern), error);
        ok = true;
    }
    host_case_close(&host);
    return ok;
}

bool run_is_interrupted(const struct run *run, struct error *error)
{
    if (!run->interrupted || !run->interrupted(run->interrupt_context))
        return false;
    error_set(error, STATUS_INTERRUPTED, "interrupted; what was decided is in the log, and --resume goes on from it");
    return true;
}

/* Tells what is run next, with what its verdict is going to say of where it stands. */
static void begin(struct run *run, const struct verdict *begun)
{
    if (run->begins)
        run->begins(run->begins_context, begun);
    if (*begun->shape)
        run_show_progress(run, begun);
}

void run_show_progress(const struct run *run, const struct verdict *begun)
{
    if (run->progress.step)
        run->progress.step(run->progress.context, begun->registration, *begun->name ? begun->name : begun->shape,
                           run->total_work > 0 ? run->done_work / run->total_work : 0);
}

/* A case, or a byte contract or launcher's check by its name. */
static void begin_gate(struct registration_run *rr, const char *name, const char *shape, enum reg_pattern pattern)
{
    struct verdict v = verdict_for(rr, SUBJECT_GATE, GATE_BYTES, VERDICT_NOT_RUN);
    copy_text(v.name, sizeof v.name, name);
    copy_text(v.shape, sizeof v.shape, shape);
    copy_text(v.pattern, sizeof v.pattern, reg_pattern_name(pattern));
    begin(rr->run, &v);
}

#define NOT_ENDING "not run: the watchdog ended the kernel before, and each case would take as long"

static bool run_shape(struct registration_run *rr, const struct reg_shape *shape, struct error *error)
{
    unsigned patterns = registration_patterns(rr->registration);
    double work = work_of_case(rr->registration, shape);
    for (int pattern = 0; pattern < REG_PATTERN_COUNT && !rr->does_not_end; pattern++) {
        if (!(patterns & 1u << pattern))
            continue;
        begin_gate(rr, "", shape->label, (enum reg_pattern)pattern);
        if (run_is_interrupted(rr->run, error) || !run_case(rr, shape, (enum reg_pattern)pattern, error))
            return false;
        rr->run->done_work += work;
    }
    return true;
}

/* A shape of the registration (name ""), or a byte contract's. */
static void put_left_out(struct registration_run *rr, const struct reg_shape *shape, const char *name)
{
    bool is_selected = run_selects_shape(rr->run->options, rr->registration, shape);
    struct verdict v = verdict_for(rr, SUBJECT_GATE, 0, VERDICT_NOT_RUN);
    copy_text(v.shape, sizeof v.shape, shape->label);
    copy_text(v.name, sizeof v.name, name);
    if (is_selected)
        verdict_reason(&v, NOT_ENDING);
    else
        verdict_reason(&v, "left out; %s runs it", shape->heavy ? "--full" : "a run without --quick");
    stream_put(rr->run->stream, &v);
    rr->left_out |= is_selected || !shape->heavy;
}

static bool run_shapes(struct registration_run *rr, struct error *error)
{
    size_t n_shapes = rr->registration->n_shapes - harness_has(HARNESS_SHAPE_LEFT_OUT);
    for (size_t i = 0; i < n_shapes; i++) {
        const struct reg_shape *shape = &rr->registration->shapes[i];
        if (rr->does_not_end || !run_selects_shape(rr->run->options, rr->registration, shape))
            put_left_out(rr, shape, "");
        else if (!run_shape(rr, shape, error))
            return false;
    }
    rr->left_out |= rr->does_not_end;
    return true;
}

/* What holds by expected bytes or a relation rests on the same assumptions as the kernel's numbers. */
static void judge_byte_contract(struct registration_run *rr, const struct bytes_case *open,
                                const struct bytes_options *options)
{
    struct verdict v = bytes_verdict(open, &rr->target);
    struct launch_fault fault = launch_as_planned(&open->host);
    uint64_t start_ns = clock_ns();
    bytes_judge(open, &rr->target, &fault, options, &v);
    v.duration_ns = clock_ns() - start_ns;
    if (!open->contract->windows)
        copy_text(v.modelled, sizeof v.modelled, rr->modelled);
    put_gate(rr, &v);
}

static bool run_byte_contract(struct registration_run *rr, const struct reg_bytes *contract, struct error *error)
{
    const struct run_options *options = rr->run->options;
    struct bytes_options bytes = {.seed = options->seed, .n_threads = options->n_threads, .checks = options->checks};
    struct bytes_case open;
    bool ok = bytes_open(&open, contract, rr->registration, &bytes, error);
    if (ok)
        judge_byte_contract(rr, &open, &bytes);
    bytes_close(&open);
    return ok;
}

static bool run_byte_contracts(struct registration_run *rr, struct error *error)
{
    for (size_t i = 0; i < rr->registration->n_bytes; i++) {
        const struct reg_bytes *contract = &rr->registration->bytes[i];
        if (rr->does_not_end || !run_selects_shape(rr->run->options, rr->registration, &contract->shape)) {
            put_left_out(rr, &contract->shape, contract->name);
            continue;
        }
        begin_gate(rr, contract->name, contract->shape.label, contract->pattern);
        if (run_is_interrupted(rr->run, error) || !run_byte_contract(rr, contract, error))
            return false;
        rr->run->done_work += work_of_case(rr->registration, &contract->shape);
    }
    return true;
}

static void judge_launcher(struct registration_run *rr, enum reg_launcher_check check, const struct host_case *host)
{
    struct verdict v = launcher_verdict(check, host, &rr->target);
    struct launch_fault fault = launch_as_planned(host);
    struct launcher_options options = {.seed = reg_key(&host->c, 0).value, .checks = rr->run->options->checks};
    uint64_t start_ns = clock_ns();
    launcher_check(check, host, &rr->target, &fault, &rr->run->builds, &options, &v);
    v.duration_ns = clock_ns() - start_ns;
    put_gate(rr, &v);
}

static bool run_launcher_checks(struct registration_run *rr, struct error *error)
{
    const struct registration *r = rr->registration;
    const struct run_options *options = rr->run->options;
    struct host_case host;
    if (!r->launcher || rr->does_not_end)
        return true;
    const struct reg_shape *shape = registration_shape(r, r->launcher->devices_shape);
    bool ok = host_case_open(&host, r, shape, REG_PATTERN_SIGNED, options->seed, options->n_threads, error);
    for (int check = 0; check < REG_LAUNCHER_CHECK_COUNT && ok; check++) {
        begin_gate(rr, reg_launcher_check_name((enum reg_launcher_check)check), shape->label, REG_PATTERN_SIGNED);
        ok = !run_is_interrupted(rr->run, error);
        if (ok)
            judge_launcher(rr, (enum reg_launcher_check)check, &host);
    }
    host_case_close(&host);
    return ok;
}

/* Gate 2 proves nothing where no output of any case is non-finite, and not that planted rows leave others alone where none
 * is finite. */
static void prove_classes(struct registration_run *rr)
{
    bool proves = (rr->n_nonfinite > 0 && rr->n_finite > 0) || harness_has(HARNESS_PROOFS_UNASKED);
    if (proves || !rr->ran_classes || rr->left_out || rr->gate_failed[GATE_CLASSES] || !rr->has_float_output)
        return;
    struct verdict v = verdict_for(rr, SUBJECT_GATE, GATE_CLASSES, VERDICT_FAIL);
    verdict_reason(&v,
                   "no proof: no output of any shape is %s; plant non-finite inputs that reach some rows and not others",
                   rr->n_nonfinite ? "finite" : "non-finite");
    put_gate(rr, &v);
}

/* Gate 4 needs one shape at which narrow sums would be seen. */
static void prove_exact(struct registration_run *rr)
{
    const struct registration *r = rr->registration;
    struct verdict v = verdict_for(rr, SUBJECT_GATE, GATE_EXACT, VERDICT_NOT_RUN);
    if (!r->exact) {
        verdict_reason(&v, "no exact sums: %.600s", r->exact_note);
        put_gate(rr, &v);
        return;
    }
    if (harness_has(HARNESS_PROOFS_UNASKED) || rr->gate_failed[GATE_EXACT] || rr->proof.gate == 0 ||
        fmin(rr->proof.miss_fp16, rr->proof.miss_bf16) >= 2)
        return;
    v.status = r->exact_note && r->exact_sibling ? VERDICT_EXCUSED : rr->left_out ? VERDICT_NOT_RUN : VERDICT_FAIL;
    v.miss_fp16 = rr->proof.miss_fp16;
    v.miss_bf16 = rr->proof.miss_bf16;
    verdict_reason(&v, "no proof: fp16 sums would miss %.3gx and bf16 sums %.3gx at best, less than 2x%s%.200s%s%.100s",
                   v.miss_fp16, v.miss_bf16, v.status == VERDICT_EXCUSED ? "; " : "",
                   v.status == VERDICT_EXCUSED ? r->exact_note : "", v.status == VERDICT_EXCUSED ? "; proved by " : "",
                   v.status == VERDICT_EXCUSED ? r->exact_sibling : "");
    put_gate(rr, &v);
}

static void check_known(struct registration_run *rr)
{
    for (size_t i = 0; i < rr->registration->n_known && !rr->left_out; i++) {
        const struct reg_known_finding *known = &rr->registration->known[i];
        if (known->gate == GATE_LIMITS || rr->gate_failed[known->gate])
            continue;
        struct verdict v = verdict_for(rr, SUBJECT_KNOWN, known->gate, VERDICT_NOT_FOUND);
        verdict_reason(&v, "finding no longer found: %.300s (%.80s, %.200s); remove it", known->reason, known->owner,
                       known->link);
        stream_put(rr->run->stream, &v);
    }
}

static void put_teeth(struct registration_run *rr)
{
    for (int tooth = 0; tooth < TOOTH_COUNT; tooth++) {
        struct verdict v = teeth_verdict(&rr->teeth, (enum tooth)tooth, rr->left_out);
        copy_text(v.chip, sizeof v.chip, rr->run->builds.device->chip);
        stream_put(rr->run->stream, &v);
    }
}

static bool run_control(struct registration_run *rr, const struct control *control, struct error *error)
{
    struct run *run = rr->run;
    const struct control_options options = {run->options->n_runs, run->options->seed, run->options->n_threads,
                                            run->options->checks};
    struct verdict v = control_verdict(control, rr->registration, run->builds.device);
    if (rr->does_not_end) {
        verdict_reason(&v, NOT_ENDING);
        stream_put(run->stream, &v);
        return true;
    }
    begin(run, &v);
    uint64_t start_ns = clock_ns();
    if (run_is_interrupted(run, error) ||
        !control_run(control, rr->registration, &run->builds, &run->checker, &options, &v, error))
        return false;
    v.duration_ns = clock_ns() - start_ns;
    stream_put(run->stream, &v);
    return true;
}

static bool run_controls(struct registration_run *rr, struct error *error)
{
    const struct registry *registry = rr->run->registry;
    for (size_t i = 0; i < registry->n_controls && !harness_has(HARNESS_CONTROLS_LEFT_OUT); i++)
        if (strcmp(registry->controls[i]->registration, rr->registration->name) == 0 &&
            !run_control(rr, registry->controls[i], error))
            return false;
    return true;
}

static bool run_all_cases(struct registration_run *rr, struct error *error)
{
    if (!run_shapes(rr, error) || !run_byte_contracts(rr, error) || !run_launcher_checks(rr, error))
        return false;
    struct verdict proofs = verdict_for(rr, SUBJECT_GATE, GATE_BYTES, VERDICT_NOT_RUN);
    begin(rr->run, &proofs);
    prove_classes(rr);
    prove_exact(rr);
    check_known(rr);
    if (!rr->run->options->no_teeth)
        put_teeth(rr);
    return run_controls(rr, error);
}

/* Gate 3 is held to the twin: one that was added, renamed or taken away since makes another gate of it. */
static bool is_of_the_same_code(const struct registration_run *rr, const struct verdict *v)
{
    const char *twin = v->gate == GATE_BOUND && rr->registration->twin ? rr->registration->twin : "";
    bool same_twin = strcmp(v->twin, twin) == 0 && (!*twin || hash_equal(v->twin_code, rr->twin.target.code));
    return same_twin && hash_equal(v->code, rr->target.code);
}

/* The host code of a launcher is in no code object, so that nothing would tell that it has changed. */
static bool rests_on_host_code(const struct registration_run *rr)
{
    return rr->registration->launcher || (rr->twin.registration && rr->twin.registration->launcher);
}

/* What died then may not now: another machine has more time, or memory. */
const struct verdict *const *run_decided(const struct run *run, const struct registration *registration, size_t *n)
{
    *n = 0;
    const struct verdict *const *verdicts =
        run->decided ? run->decided->find(run->decided->context, registration->name, run->builds.device->chip, n) : NULL;
    for (size_t i = 0; i < *n; i++)
        if (verdicts[i]->status == VERDICT_DIED) {
            *n = 0;
            return NULL;
        }
    return verdicts;
}

/* Verdicts of an earlier run with the same code objects stand in for this one. */
static bool replay(struct registration_run *rr)
{
    size_t n = 0;
    const struct verdict *const *verdicts = rests_on_host_code(rr) ? NULL : run_decided(rr->run, rr->registration, &n);
    for (size_t i = 0; i < n; i++)
        if (verdicts[i]->subject == SUBJECT_GATE && !is_of_the_same_code(rr, verdicts[i]))
            return false;
    for (size_t i = 0; i < n; i++) {
        struct verdict again = *verdicts[i];
        again.replayed = true;
        stream_put(rr->run->stream, &again);
    }
    return n > 0;
}

static bool has_float_output(const struct registration *registration)
{
    struct reg_plan plan = {0};
    if (!registration->plan(&registration->shapes[0], &plan, NULL))
        return false;
    for (int t = next_output(&plan, 0); t >= 0; t = next_output(&plan, t + 1))
        if (format_facts(plan.tensor[t].format)->is_float)
            return true;
    return false;
}

static void put_end(struct registration_run *rr, bool replayed)
{
    stream_registration_end(rr->run->stream,
                            &(struct registration_end){.registration = rr->registration->name,
                                                       .chip = rr->run->builds.device->chip,
                                                       .duration_ns = replayed ? 0 : clock_ns() - rr->start_ns,
                                                       .replayed = replayed});
}

static bool decide(struct run *run, const struct registration *registration, struct error *error)
{
    struct registration_run rr = {.run = run,
                                  .registration = registration,
                                  .has_float_output = has_float_output(registration),
                                  .start_ns = clock_ns()};
    struct error build_error = {0};
    teeth_begin(&rr.teeth, registration);
    if (!builds_target(&run->builds, registration, NULL, &rr.target, &build_error)) {
        if (build_error.status == STATUS_ENVIRONMENT) {
            if (error)
                *error = build_error;
            return false;
        }
        struct verdict v = verdict_for(&rr, SUBJECT_GATE, GATE_BYTES, VERDICT_BUILD_FAILED);
        verdict_reason(&v, "%.690s", build_error.text);
        stream_put(run->stream, &v);
        put_end(&rr, false);
        return true;
    }
    rr.twin = twin_find(run->registry, registration, &run->builds);
    bool replayed = replay(&rr);
    if (!replayed) {
        launch_modelled(&rr.target, rr.modelled, sizeof rr.modelled);
        if (!run_all_cases(&rr, error))
            return false;
    }
    put_end(&rr, replayed);
    return true;
}

bool run_takes_part(const struct run *run, size_t i)
{
    return run_selects(run->registry, run->options, i) &&
           registration_is_for(run->registry->registrations[i], run->builds.device->chip);
}

static void put_skipped(struct verdict_stream *stream, const struct registration *registration, const char *chip,
                        const char *device, const char *reason)
{
    struct verdict v = {.subject = SUBJECT_GATE, .status = VERDICT_NOT_RUN, .worst.index = -1};
    copy_text(v.chip, sizeof v.chip, chip);
    copy_text(v.device, sizeof v.device, device);
    verdict_registration(&v, registration);
    verdict_reason(&v, "%.690s", reason);
    stream_put(stream, &v);
}

void run_skip(const struct registry *registry, const struct run_options *options, struct verdict_stream *stream,
              const char *chip, const char *device, const char *reason)
{
    for (size_t i = 0; i < registry->n_registrations; i++)
        if (run_selects(registry, options, i) && registration_is_for(registry->registrations[i], chip))
            put_skipped(stream, registry->registrations[i], chip, device, reason);
}

/* What was taken over from another run, or did not build, is no work of this one: it tells nothing of the time that is
 * left. */
static bool decide_and_account(struct run *run, const struct registration *registration, struct error *error)
{
    double done_before = run->done_work;
    bool ok = decide(run, registration, error);
    if (run->done_work == done_before)
        run->total_work -= work_of_registration(registration, run->options);
    return ok;
}

bool run_registration(struct run *run, size_t index, struct error *error)
{
    const struct registration *registration = run->registry->registrations[index];
    if (run_takes_part(run, index))
        return decide_and_account(run, registration, error);
    put_skipped(run->stream, registration, run->builds.device->chip, run->builds.device->kind,
                "not registered for this chip");
    return true;
}

void run_open(struct run *run)
{
    run->total_work = run->done_work = 0;
    for (size_t i = 0; i < run->registry->n_registrations; i++)
        if (run_takes_part(run, i))
            run->total_work += work_of_registration(run->registry->registrations[i], run->options);
    run_compile(run);
}

bool run_gates(struct run *run, struct error *error)
{
    run_open(run);
    for (size_t i = 0; i < run->registry->n_registrations; i++)
        if (run_selects(run->registry, run->options, i) && !run_registration(run, i, error))
            return false;
    return true;
}
