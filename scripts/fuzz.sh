#!/usr/bin/env bash
# Runs fuzz targets for a bounded time each, from real code objects. Usage: scripts/fuzz.sh BUILD SECONDS TARGET...
# Inputs that led somewhere new are kept in BUILD/corpus and used again; an input that crashes a target is left as
# BUILD/crash-TARGET-… and makes its status 1. Run one again: BUILD/fuzz/TARGET FILE.
set -euo pipefail
build=$1 seconds=$2
shift 2

seeds=$build/seeds
"$build/programs/fuzz/seeds" "$seeds"
# libdw forgets memory on some damaged line tables; nothing of ours is excused.
export LSAN_OPTIONS=suppressions=tests/fuzz/leaks.txt:print_suppressions=0

# Leaks are asked for too; a unit of work takes milliseconds, so ten seconds are a hang.
failed=0
for target in "$@"; do
    corpus=$build/corpus/$target
    mkdir -p "$corpus"
    echo "== $target, $seconds s"
    if ! "$build/fuzz/$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=4096 -print_final_stats=1 -verbosity=0 \
        -max_len=65536 -artifact_prefix="$build/crash-$target-" "$corpus" "$seeds/${target#fuzz_}" \
        >"$build/$target.log" 2>&1; then
        failed=1
        grep -E 'ERROR|SUMMARY|runtime error|Test unit written' "$build/$target.log" >&2 || tail -n 20 "$build/$target.log" >&2
        echo "$target: failed; $build/$target.log tells how" >&2
    else
        grep -E 'number_of_executed_units|new_units_added|peak_rss_mb' "$build/$target.log"
    fi
done
exit "$failed"
