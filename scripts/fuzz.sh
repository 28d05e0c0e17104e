#!/usr/bin/env bash
# Runs fuzz targets for a bounded time each, from what BUILD/programs/fuzz/seeds makes and tests/fuzz/corpus holds.
# Usage: scripts/fuzz.sh BUILD SECONDS TARGET...
# As many run at once as JOBS says, by default one a processor. Inputs that led somewhere new are kept in BUILD/corpus and used
# again; an input that crashes a target is left as BUILD/crash-TARGET-… and makes its status 1. Run one again: BUILD/fuzz/TARGET FILE.
set -euo pipefail
build=$1 seconds=$2
shift 2

seeds=$build/seeds
"$build/programs/fuzz/seeds" "$seeds"
# What targets write goes to memory where there is such a folder.
TMPDIR=$(mktemp -d -p "$([ -w /dev/shm ] && echo /dev/shm || echo "${TMPDIR:-/tmp}")")
trap 'rm -rf "$TMPDIR"' EXIT
export TMPDIR FUZZ_OBJECTS=$seeds/objects
# libdw forgets memory on some damaged line tables; nothing of ours is excused.
export LSAN_OPTIONS=suppressions=tests/fuzz/leaks.txt:print_suppressions=0

# Leaks are asked for too; a unit of work takes milliseconds, so twenty seconds are a hang. What is said of one target is said at once.
fuzz_one() {
    local target=$1 corpus=$build/corpus/$1 log=$build/$1.log status=0 folder corpora=()
    mkdir -p "$corpus"
    for folder in "$seeds/${target#fuzz_}" "tests/fuzz/corpus/${target#fuzz_}"; do
        [ ! -d "$folder" ] || corpora+=("$folder")
    done
    "$build/fuzz/$target" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
        -max_len=65536 -artifact_prefix="$build/crash-$target-" "$corpus" ${corpora[@]+"${corpora[@]}"} >"$log" 2>&1 || status=$?
    if [ "$status" -eq 0 ]; then
        printf '== %s, %s s\n%s\n' "$target" "$seconds" "$(grep -E 'number_of_executed_units|new_units_added|peak_rss_mb' "$log")"
        return
    fi
    printf '%s\n%s: failed; %s tells how\n' \
        "$(grep -E 'ERROR|SUMMARY|runtime error|Test unit written' "$log" || tail -n 20 "$log")" "$target" "$log" >&2
    return 1
}
export -f fuzz_one
export build seconds seeds
# shellcheck disable=SC2016 # bash -c expands it
printf '%s\0' "$@" | xargs -0 -P "${JOBS:-$(nproc)}" -n 1 bash -c 'fuzz_one "$1" || exit 1' _ || exit 1
