#!/usr/bin/env bash
# Runs every test program and end-to-end script, and ends with "N passed, N failed".
# Usage: scripts/run_tests.sh BUILD_DIRECTORY [GLOB]   (GLOB: only test programs and scripts of that name)
set -uo pipefail

build=$1
glob=${2:-*}
jobs=${JOBS:-2}
limit_s=${TEST_LIMIT_S:-900}
logs=$build/test-logs
rm -rf "$logs"
mkdir -p "$logs"

BUILD=$(cd "$build" && pwd)
HIPCONTRACT_ROOT=$(pwd)
# Runs of the contract are recorded there, not in the history of who tests.
XDG_DATA_HOME=$BUILD/data
export BUILD HIPCONTRACT_ROOT HIPCONTRACT=$BUILD/hipcontract CMOCKA_MESSAGE_OUTPUT=tap XDG_DATA_HOME

# The scripts come first: one that began last would be waited for with the other processors idle.
list() {
    local file
    for file in tests/end_to_end/*.sh; do
        [ -z "${UNIT_ONLY:-}" ] && [ -f "$file" ] && echo "$file"
    done
    for file in "$build"/tests/*; do
        [ -x "$file" ] && [ -f "$file" ] && echo "$file"
    done
}

# One program: its output in NAME.log, its exit status in NAME.status.
run_one() {
    local file=$1 name
    name=$(basename "$file" .sh)
    local start=$EPOCHREALTIME
    case $file in
    *.sh) timeout "$limit_s" bash "$file" ;;
    *) timeout "$limit_s" "$file" ;;
    esac >"$logs/$name.log" 2>&1 </dev/null
    echo $? >"$logs/$name.status"
    printf '%s %.1f s\n' "$name" "$(echo "$start $EPOCHREALTIME" | awk '{print $2 - $1}')" >>"$logs/times"
}
export -f run_one
export logs limit_s

files=()
while IFS= read -r file; do
    # shellcheck disable=SC2254 # the pattern is meant as one
    case $(basename "$file" .sh) in
    $glob) files+=("$file") ;;
    esac
done < <(list)
if [ ${#files[@]} -eq 0 ]; then
    echo "no test is named $glob"
    echo "0 passed, 0 failed"
    exit 2
fi
# shellcheck disable=SC2016 # bash -c expands it
printf '%s\0' "${files[@]}" | xargs -0 -P "$jobs" -I{} bash -c 'run_one "$1"' _ {}

passed=0 failed=0 skipped=0
for file in "${files[@]}"; do
    name=$(basename "$file" .sh)
    log=$logs/$name.log
    status=$(cat "$logs/$name.status" 2>/dev/null || echo 255)
    ok=$(grep -cE '^ok [^#]*$' "$log" || true)
    # cmocka writes a skipped test as "not ok N # SKIP name", and its reason before.
    bad=$(grep -E '^not ok ' "$log" | grep -vcE '# SKIP' || true)
    skip=$(grep -cE '^(not )?ok .*# SKIP' "$log" || true)
    plan=$(sed -nE 's/^1\.\.([0-9]+)$/\1/p' "$log" | awk '{n += $1} END {if (NR) print n}')
    # A program that ended before its last test, or failed without saying which, has one failure more.
    if [ -n "$plan" ] && [ $((ok + bad + skip)) -lt "$plan" ] || { [ "$status" -ne 0 ] && [ "$bad" -eq 0 ]; } ||
        [ $((ok + bad + skip)) -eq 0 ]; then
        echo "not ok $name - ended with status $status after $((ok + bad + skip)) of ${plan:-?} tests" >>"$log"
        bad=$((bad + 1))
    fi
    passed=$((passed + ok)) failed=$((failed + bad)) skipped=$((skipped + skip))
    [ "$skip" -eq 0 ] || grep -B 2 -E '^(not )?ok .*# SKIP' "$log" | sed "s/^/$name: /"
    if [ "$bad" -ne 0 ]; then
        echo "---- $name ($log)"
        grep -vE '^ok |^# ok|^1\.\.' "$log" | tail -n 60
    fi
done
[ "$skipped" -eq 0 ] || echo "$skipped skipped, with their reasons above"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
