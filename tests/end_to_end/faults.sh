#!/usr/bin/env bash
# Faults of the system: one call after the other is made to fail in a quick run of one kernel (tests/faults): allocations, writes, reads,
# processes, the compiler, dlopen, the database. No run may crash, hang, say something untrue of the kernel or lose a verdict that it printed.
# FAULT_SAMPLES=N makes so many calls of a class fail (default 12). Prints TAP; needs $BUILD, $HIPCONTRACT and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
samples=${FAULT_SAMPLES:-12}
seed=${FAULT_SEED:-1}
shim=$BUILD/faults/shim.so
cache=${HIPCONTRACT_CACHE:-$HIPCONTRACT_ROOT/build/cache}
export TMPDIR=$work
run=("$HIPCONTRACT" contract --only rms_norm_rows --quick --jobs 2 --log run.jsonl --db history.db)
mutate=("$HIPCONTRACT" mutate --only rms_norm_rows --quick --sample 3 --jobs 2 --least 0 --log run.jsonl)

# sweep CLASS COMMAND...: says what went wrong and with which call.
sweep() {
    "$BUILD/faults/sweep" "$shim" "$1" "$samples" "$seed" "${@:2}" >"$work/out" 2>"$work/err" || return 1
    sed 's/^ok - /# /' "$work/out"
}
warm() { HIPCONTRACT_CACHE=$cache sweep "$@"; }
cold() { (unset HIPCONTRACT_CACHE && sweep "$@"); } # a cache of its own for each run

# A shared object of registrations, of the headers and sources of this checkout.
kernels_file() {
    local project=$work/project
    make -s -C "$HIPCONTRACT_ROOT" install-built BUILD="$BUILD" PREFIX="$work/installed" >"$work/out" 2>"$work/err" &&
        cp -r "$HIPCONTRACT_ROOT/tests/outside" "$project" && rm -rf "$project/build" &&
        make -s -C "$project" PREFIX="$work/installed" CC=gcc >"$work/out" 2>"$work/err"
}
opened() {
    kernels_file && warm dlopen "$HIPCONTRACT" gates --kernels "$work/project/build/kernels.so" --only example_dot --quick \
        --log run.jsonl --no-db
}
check 'memory that is refused' warm allocation "${run[@]}"
check 'files and output that cannot be written' warm write "${run[@]}"
check 'memory that is refused while mutants are tried' warm allocation "${mutate[@]}"
check 'a log of mutants that cannot be written' warm write "${mutate[@]}"
check 'files that cannot be read' warm read "${run[@]}"
check 'processes, pipes and threads that cannot be started' warm spawn "${run[@]}"
check 'a compiler that fails' cold compile "${run[@]}"
check 'a compiler that is killed' cold killed "${run[@]}"
check 'a history that fails' warm database "${run[@]}"
check 'a file of kernels that cannot be opened' opened
echo "1..$n"
