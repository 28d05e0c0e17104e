#!/usr/bin/env bash
# What would take a run down costs one verdict: kernels and references that crash, loop, hang, want more memory than there is or do not
# compile; a worker, and the run, that are killed. Prints TAP; needs $HIPCONTRACT and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
tree=$HIPCONTRACT_ROOT
export HIPCONTRACT_CACHE=${HIPCONTRACT_CACHE:-$tree/build/cache}
project=$work/project
file=$project/build/kernels.so
log=$work/run.jsonl
cp -r "$tree/tests/outside" "$project"
cp -r "$tree/tests/hostile/." "$project/"

build() {
    mkdir -p "$project/build" && gcc -std=gnu11 -Wall -Wextra -Werror "-I$tree" "-I$tree/contract" -shared -fPIC -o "$file" "$project/hostile.c" \
        "$project/dot_launch.c" -lm >"$work/out" 2>"$work/err"
}
# gates STATUS ARGUMENT...: a quick run of the file's kernels ends with that status.
gates() { ends "$1" "$HIPCONTRACT" gates --kernels "$file" --quick --no-db "${@:2}"; }
lines_before_failures() { sed '/^FAILURES /,$d' "$work/out"; }

four_red_lines() {
    gates 1 --only 'example*' --only hostile_crash --only hostile_loop --only hostile_memory --only hostile_source --memory-limit 1G --log "$log" &&
        [ "$(lines_before_failures | grep -c '^FAIL ')" -eq 4 ] && [ "$(lines_before_failures | grep -cE '^(MISS|BLIND|INVALID|LIMIT) ')" -eq 0 ] &&
        out_says '^FAIL  gfx1151 hostile_crash  died: gate 1 at 2x33 \(signed\): its process was ended by signal 11 \(Segmentation fault\), having held [0-9]+ MiB at most; what was left of the registration was not run$' &&
        out_says '^FAIL  gfx1151 hostile_loop  launch failed: gate 1 at 1x64 \(signed\): .*hipErrorLaunchTimeOut: watchdog: .*more than [0-9]+ instructions executed$' &&
        out_says '^FAIL  gfx1151 hostile_memory  died: gate 1 at huge \(signed\): out of host memory .*\(--memory-limit: 1024 MiB\)' &&
        out_says '^FAIL  gfx1151 hostile_source  build failed: .*does not compile: .*of_no_type'
}
prints_at_once() { err_says 'about to crash' && ! out_says 'about to crash'; }
others_are_green() {
    out_says '^PASS  gfx1151 example_dot ' && out_says '^PASS  gfx1151 example_dot_launcher ' &&
        out_says '^SUMMARY gfx1151 6 kernels: 2 pass gates 1-4, 4 fail, 0 known findings; 5 controls: 2 red as planted, 0 missed; 3 not run;'
}
log_is_whole() {
    tail -n 1 "$log" | grep -q '^{"record":"summary","exit":1,"interrupted":false,' && [ "$(grep -c '"record":"end"' "$log")" -eq 6 ] &&
        grep '"status":"died"' "$log" | grep -q '"registration":"hostile_crash".*"shape":"2x33","pattern":"signed"' && [ "$(grep -c '"status":"died"' "$log")" -eq 2 ]
}
reports_the_dead() {
    ends 1 "$HIPCONTRACT" report "$log" --junit "$work/junit.xml" --markdown "$work/run.md" --html "$work/run.html" && grep -q '<error .*died: ' "$work/junit.xml" &&
        grep -q '<error .*build failed: ' "$work/junit.xml" && grep -q '^- gate 1, hostile_crash, gfx1151, 2x33 (signed): died: its process was ended by signal 11' "$work/run.md" &&
        grep -q '^- gate 1, hostile_source, gfx1151: build failed: ' "$work/run.md" && grep -q '"status":"died"' "$work/run.html" && grep -q '"status":"build-failed"' "$work/run.html"
}
# Those that ended are not run again, those that died are: of them the log has a second verdict.
resumes_after_deaths() {
    cp "$log" "$work/again.jsonl" && gates 1 --only 'example*' --only hostile_crash --resume "$work/again.jsonl" &&
        [ "$(grep -c '"status":"died".*hostile_crash' "$work/again.jsonl")" -eq 2 ] && out_says '^PASS  gfx1151 example_dot '
}
hangs_no_longer_than_it_may() {
    gates 1 --only 'hostile_hang' --only 'hostile_source' --time-limit 5 && out_says '^FAIL  gfx1151 hostile_hang  died: gate 1 at 2x33 \(signed\): it took longer than 5 s and was ended \(--time-limit\);' &&
        out_says '^FAIL  gfx1151 hostile_source  build failed: '
}
# compiler COMMANDS: $work/clang is the compiler, and does these first.
compiler() {
    printf '#!/bin/sh\n%s\nexec %s "$@"\n' "$1" "$(command -v clang-22)" >"$work/clang" && : >"$work/ld.lld" && chmod +x "$work/clang" "$work/ld.lld"
}
compiler_hangs() { # with one source
    # shellcheck disable=SC2016 # the compiler's to expand
    compiler 'case "$*" in *loop.hip*) sleep 600 & wait ;; esac' && HIPCONTRACT_CLANG=$work/clang HIPCONTRACT_CACHE=$work/cache gates 1 --only hostile_loop --time-limit 1 &&
        out_says '^FAIL  gfx1151 hostile_loop  build failed: .*the compiler took longer than 1 s and was ended$'
}
compiler_has_no_file_of_the_run() { # it may outlive it
    compiler "ls -l /proc/\$\$/fd >>$work/files" && HIPCONTRACT_CLANG=$work/clang gates 1 --only hostile_source --log "$log" &&
        grep -q /dev/null "$work/files" && ! grep -q "$log" "$work/files"
}
in_one_process() { # what crashes ends it
    gates 139 --only hostile_crash --no-isolation && gates 0 --only example_dot --no-isolation && out_says '^PASS  gfx1151 example_dot '
}
wrong_values() {
    local words
    for words in '--memory-limit 1X' '--memory-limit -1' '--memory-limit 1GB' '--memory-limit 99999999999999G' '--time-limit x' '--workers 0' '--workers 65'; do
        # shellcheck disable=SC2086 # the words are several
        gates 2 --only example_dot $words && one_error_line || return 1
    done
}

# begin ARGUMENT...: a run in the background, which has decided example_dot and hangs in the registration after it; $pid and $worker.
begin() {
    rm -f "$log"
    "$HIPCONTRACT" gates --kernels "$file" --quick --no-db --only example_dot --only hostile_hang --only hostile_source --log "$log" "$@" >"$work/out" 2>"$work/err" </dev/null &
    pid=$!
    for _ in $(seq 600); do
        grep -q '"record":"verdict".*"registration":"hostile_hang".*"shape":"1x64","pattern":"exact"' "$log" 2>/dev/null && break
        sleep 0.1
    done
    worker=$(cat "/proc/$pid/task/$pid/children")
    worker=${worker%% *}
}
kills_worker() {
    begin
    kill -KILL "$worker"
    wait "$pid"
    [ $? -eq 1 ] && out_says '^FAIL  gfx1151 hostile_hang  died: gate 1 at 2x33 \(signed\): its process was ended by signal 9 \(Killed\), ' &&
        out_says '^FAIL  gfx1151 hostile_source  build failed: ' && out_says '^SUMMARY gfx1151 3 kernels: 1 pass gates 1-4, 2 fail,' &&
        tail -n 1 "$log" | grep -q '"record":"summary"'
}
kills_run() {
    begin
    kill -KILL "$pid"
    wait "$pid" 2>/dev/null
    for _ in $(seq 100); do
        kill -0 "$worker" 2>/dev/null || break
        sleep 0.1
    done
    ! kill -0 "$worker" 2>/dev/null && ! tail -n 1 "$log" | grep -q '"record":"summary"'
}
resumes_after_kill() { # example_dot is taken over as it is
    grep '"record":"verdict".*"registration":"example_dot"' "$log" >"$work/before" &&
        gates 1 --only example_dot --only hostile_hang --only hostile_source --time-limit 2 --resume "$log" && out_says '^PASS  gfx1151 example_dot ' &&
        grep '"record":"verdict".*"registration":"example_dot"' "$log" | cmp -s - "$work/before" && tail -n 1 "$log" | grep -q '"record":"summary"'
}
interrupts() { # the run waits for its case, which the limit ends
    begin --time-limit 3
    kill -INT "$pid"
    wait "$pid"
    [ $? -eq 4 ] && err_says 'interrupted; what was decided is in the log' && ! out_says hostile_source && tail -n 1 "$log" | grep -q '"interrupted":true'
}
# A log without what is measured of the machine.
without_times() { sed -E 's/"(duration|gates|limits)_ns":[0-9]+,?//g; s/"outputs":"[^"]*",?//' "$1"; }
same_log() {
    local way
    for way in '' '--workers 2' --no-isolation; do
        # shellcheck disable=SC2086 # the words are several
        gates 0 --only 'example*' --chip gfx1151,gfx90a --keep-outputs "$work/kept" --log "$log" $way || return 1
        without_times "$log" >"$work/log$way"
        (cd "$work/kept" && find . -name '*.npy' -exec sha256sum {} + | sort) >"$work/files$way"
        rm -r "$work/kept"
    done
    [ "$(grep -c '"record":"outputs"' "$log")" -gt 10 ] && [ "$(wc -l <"$work/files")" -gt 10 ] && cmp "$work/log" "$work/log--workers 2" &&
        cmp "$work/log" "$work/log--no-isolation" && cmp "$work/files" "$work/files--workers 2" && cmp "$work/files" "$work/files--no-isolation"
}

check 'the hostile registrations build' build
check 'a crash, a loop, a shape beyond memory and a source that does not compile are four red lines' four_red_lines
check 'what a worker printed before its death is on standard error' prints_at_once
check 'everything else is green' others_are_green
check 'the log is whole, and says what died where' log_is_whole
check 'reports know what died, and what did not compile' reports_the_dead
check 'a run that goes on runs again what died, and nothing else' resumes_after_deaths
check 'what hangs is ended at its limit' hangs_no_longer_than_it_may
check 'so is a compiler' compiler_hangs
check 'a compiler has no file of the run open' compiler_has_no_file_of_the_run
check 'without isolation a crash ends the run' in_one_process
check 'wrong limits are one line and status 2' wrong_values
check 'a worker that is killed is one red line' kills_worker
check 'a run that is killed ends its worker' kills_run
check 'its log can be resumed' resumes_after_kill
check 'SIGINT ends with status 4 once the case has ended' interrupts
check 'log and kept outputs are the same with one worker, two, and none' same_log
echo "1..$n"
