#!/usr/bin/env bash
# hipcontract selftest: every fault of the harness is noticed, whatever runs beside it; one that is not, or a harness that is unsound without one, is status 1.
# Prints TAP; needs $HIPCONTRACT and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"

n_faults() { sed -nE 's/^hipcontract .*: selftest on gfx1151 \(emulated\): ([0-9]+) faults of the harness, against [0-9]+ verdicts$/\1/p' "$work/out"; }
every_fault_is_noticed() {
    ends 0 "$HIPCONTRACT" selftest --jobs 1 && cp "$work/out" "$work/one_job" &&
        [ "$(n_faults)" -gt 20 ] && [ "$(grep -c '^NOTICED gfx1151 ' "$work/out")" -eq "$(n_faults)" ] &&
        out_says "^SUMMARY gfx1151 $(n_faults) faults of the harness: $(n_faults) noticed, 0 missed\$"
}
jobs_change_nothing() { ends 0 "$HIPCONTRACT" selftest --jobs 3 && diff <(sort "$work/one_job") <(sort "$work/out"); }
another_chip() { ends 0 "$HIPCONTRACT" selftest --chip gfx942 && out_says '^SUMMARY gfx942 .* 0 missed$'; }
wrong_usage() {
    ends 2 "$HIPCONTRACT" selftest --quick && one_error_line &&
        ends 2 "$HIPCONTRACT" selftest it && one_error_line && err_says 'unexpected argument it' &&
        ends 0 "$HIPCONTRACT" selftest --help && out_says '^usage: hipcontract selftest'
}

# Once it has begun with the faults, of which most are left then.
interrupted() {
    local pid tries=0
    rm -f "$work/out"
    "$HIPCONTRACT" selftest --jobs 1 >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    until [ -s "$work/out" ] || [ $((tries += 1)) -gt 600 ]; do sleep 0.1; done
    kill -INT $pid
    wait $pid
    [ $? -eq 4 ] && err_says 'interrupted$' && one_error_line && ! out_says '^SUMMARY .* 0 missed$'
}
planted_by_selftest_alone() {
    [ "$(cd "$HIPCONTRACT_ROOT" && grep -lE 'harness_fault_plant\(|harness_fault_planted *=[^=]' -r commands contract controls device kernels mutation records reference reports toolchain --include='*.c' | sort | tr '\n' ' ')" = \
        'commands/selftest_run.c contract/harness_fault.c ' ]
}

# The kernel with a line of its source changed, in a project of its own.
changed() {
    rm -rf "$work/project" && mkdir -p "$work/project/contract" && cp -r "$HIPCONTRACT_ROOT/kernels" "$HIPCONTRACT_ROOT/records" "$work/project/" &&
        sed "$1" "$HIPCONTRACT_ROOT/contract/selftest.hip" >"$work/project/contract/selftest.hip" &&
        ! cmp -s "$HIPCONTRACT_ROOT/contract/selftest.hip" "$work/project/contract/selftest.hip"
}
# Every row is then wrong, so that the last need not be looked at.
a_fault_that_nobody_sees() {
    changed 's/row == rows - 1 ? sum \* 1.01f : sum/sum * 1.01f/' && HIPCONTRACT_ROOT=$work/project ends 1 "$HIPCONTRACT" selftest &&
        out_says '^MISSED  gfx1151 gate 3 leaves out the last element: every verdict is as without it$' && out_says ' noticed, 1 missed$' &&
        err_says '1 fault of the harness went unnoticed on gfx1151' && one_error_line
}
an_unsound_harness() {
    changed 's/sum \* 1.01f/sum * 1.0f/' && HIPCONTRACT_ROOT=$work/project ends 1 "$HIPCONTRACT" selftest &&
        err_says 'without a fault selftest_sums, control last_wrong, gate 3, 6x65 \(signed\) is miss: stayed green' && one_error_line
}
a_kernel_that_does_not_compile() {
    changed 's/sum \* 1.01f/sum * nothing/' && HIPCONTRACT_ROOT=$work/project ends 1 "$HIPCONTRACT" selftest &&
        err_says 'without a fault selftest_sums, control last_wrong, .* is '
}

check "every fault of the harness is noticed" every_fault_is_noticed
check "with several processes at a time it says the same" jobs_change_nothing
check "on a chip with waves of 64 lanes too" another_chip
check "wrong usage is one line" wrong_usage
check "an interrupt ends it with status 4" interrupted
check "nothing else plants a fault" planted_by_selftest_alone
check "a fault that no verdict shows is status 1" a_fault_that_nobody_sees
check "a control that does not bite is told before any fault is planted" an_unsound_harness
check "so is a source that does not compile" a_kernel_that_does_not_compile
echo "1..$n"
