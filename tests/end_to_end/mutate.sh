#!/usr/bin/env bash
# Mutants of a compiled kernel from the command line: the same score whoever tries them, what is survived, and what goes wrong on the way.
# Prints TAP; needs $HIPCONTRACT and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
kernel=rms_norm_rows

# mutate STATUS OPTION...: of the kernel's smallest shapes.
mutate() { ends "$1" "$HIPCONTRACT" mutate --quick --only $kernel "${@:2}"; }
# The log without what is never compared.
log() { sed -E 's/,"duration_ns":[0-9]+//' "$1"; }
mutants() { log "$1" | grep '"record":"mutant"' | sort; }
# outcomes LOG NAME: how many mutants have it
outcomes() { grep -c "\"outcome\":\"$2\"" "$1"; }

help_lists_options() { ends 0 "$HIPCONTRACT" mutate --help && out_says '^usage: hipcontract mutate' && out_says '\-\-sample N'; }
wrong_usage() {
    mutate 2 --sample many && one_error_line && err_says 'sample many: give a number from 0' &&
        ends 2 "$HIPCONTRACT" mutate --only no_such_kernel && err_says 'no registration is selected' &&
        mutate 2 --log "$work/no/folder.jsonl" && one_error_line && err_says 'No such file or directory'
}
most_are_killed() {
    mutate 0 --least 50 --sample 60 --jobs 1 --log "$work/one.jsonl" && out_says "^SCORE gfx1151 $kernel  [0-9.]+ %: 60 mutants, [0-9]+ killed" &&
        out_says '^SUMMARY 1 registrations, ' && [ "$(outcomes "$work/one.jsonl" gate)" -gt 0 ] && [ "$(outcomes "$work/one.jsonl" sanitizer)" -gt 0 ]
}
workers_change_nothing() {
    mutate 0 --least 50 --sample 60 --jobs 3 --log "$work/three.jsonl" && cmp -s <(log "$work/one.jsonl") <(log "$work/three.jsonl")
}
a_smaller_sample_is_part() {
    mutate 0 --least 0 --sample 12 --log "$work/small.jsonl" && [ "$(mutants "$work/small.jsonl" | wc -l)" -eq 12 ] &&
        [ -z "$(comm -23 <(mutants "$work/small.jsonl") <(mutants "$work/one.jsonl"))" ]
}
# Without the check of waits nothing but that is there to find one that is dropped.
a_weaker_contract_kills_fewer() {
    mutate 0 --least 0 --sample 24 --check none --log "$work/weak.jsonl" &&
        [ "$(outcomes "$work/weak.jsonl" sanitizer)" -eq 0 ] &&
        grep -q '"outcome":"sanitizer"' <(grep '"operator":"wait"' "$work/one.jsonl") &&
        grep -q '"outcome":"equivalent"' <(grep '"operator":"wait"' "$work/weak.jsonl")
}
too_low_a_score_is_red() { mutate 1 --sample 24 --least 100 && out_says '^SURVIVED .* would catch it: ' && out_says '1 registrations below 100 %$'; }
# A worker that is killed costs its mutant, not the run. A worker is a child that runs this very program and goes on doing so: others are about
# to become a compiler.
is_worker() { [ -e "/proc/$2/exe" ] && [ "$(readlink "/proc/$2/exe")" = "$(readlink "/proc/$1/exe")" ]; }
kill_a_worker() {
    local children=() c i
    for ((i = 0; i < 600; i++)); do
        kill -0 "$1" || return 1
        read -ra children 2>/dev/null <"/proc/$1/task/$1/children"
        for c in "${children[@]}"; do
            is_worker "$1" "$c" && sleep 0.3 && is_worker "$1" "$c" && kill -9 "$c" && return 0
        done
        sleep 0.05
    done
    return 1
}
a_killed_worker_is_replaced() {
    "$HIPCONTRACT" mutate --quick --only $kernel --sample 150 --jobs 1 --least 0 --log "$work/killed.jsonl" >"$work/out" 2>"$work/err" &
    local pid=$!
    kill_a_worker $pid
    wait $pid
    [ $? -eq 1 ] && out_says '^CRASH .*signal 9' && [ "$(outcomes "$work/killed.jsonl" crash)" -eq 1 ] && [ "$(outcomes "$work/killed.jsonl" untried)" -eq 0 ]
}

echo 1..8
check "mutate --help lists its options" help_lists_options
check "wrong usage is one line and status 2" wrong_usage
check "most mutants of a kernel are killed, by gates and by checks" most_are_killed
check "the log is the same for any number of workers" workers_change_nothing
check "a smaller sample is part of a larger one" a_smaller_sample_is_part
check "without its check a dropped wait is not noticed" a_weaker_contract_kills_fewer
check "a score below --least is status 1, and its survivors are listed with what would catch them" too_low_a_score_is_red
check "a worker that is killed costs one mutant" a_killed_worker_is_replaced
