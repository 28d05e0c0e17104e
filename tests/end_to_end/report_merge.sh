#!/usr/bin/env bash
# `hipcontract report`: the logs of eight shards, and that of a run that was killed and resumed, come to what one uninterrupted run comes to,
# apart from times; what is missing is told; logs that are not parts of one run, or no logs, are refused in one line.
# Prints TAP; needs $HIPCONTRACT and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
some=(--quick --runs 2 --no-db --only 'rms_*' --only 'softmax_*' --only 'hc_*' --only 'moe_gate*' --only 'moe_combine*' --only 'matmul_f16*')
shards=8
SEED=${SEED:-$RANDOM}
RANDOM=$SEED
echo "# SEED=$SEED repeats the points of the kills"

report() { ends "$1" "$HIPCONTRACT" report "${@:2}"; }
err_is() { [ "$(cat "$work/err")" = "$1" ]; }
# What two reports have alike: the lines without the header and times, and the cases of the JUnit file without times.
lines_of() { sed -E '1d; s/; gates [0-9]+ ms, limits [0-9]+ ms$//' "$work/out"; }
cases_of() { sed -E 's/ (time|timestamp)="[^"]*"//g' "$1"; }
same_report() { # LOG...: as that of the whole run
    report 0 "$@" --junit "$work/this.xml" && lines_of >"$work/this" && report 0 "$work/whole.jsonl" --junit "$work/whole.xml" && lines_of >"$work/whole" &&
        [ "$(wc -l <"$work/whole")" -gt 50 ] && diff "$work/whole" "$work/this" >"$work/err" && diff <(cases_of "$work/whole.xml") <(cases_of "$work/this.xml") >"$work/err"
}

whole() { # a report prints what the run printed, limits by name
    ends 0 "$HIPCONTRACT" contract "${some[@]}" --log "$work/whole.jsonl" || return 1
    tail -n +2 "$work/out" | sort >"$work/printed"
    report 0 "$work/whole.jsonl" && tail -n +2 "$work/out" | sort | diff "$work/printed" - >"$work/err"
}
sharded() {
    local i logs=()
    for i in $(seq $shards); do
        ends 0 "$HIPCONTRACT" contract "${some[@]}" --shard "$i/$shards" --log "$work/s$i.jsonl" || return 1
        logs=("$work/s$i.jsonl" "${logs[@]}")
    done
    same_report "${logs[@]}"
}
together() { # of one registration each shard has at most its part
    [ "$(sed -n 's/.*"registrations":"\([^"]*\)".*/\1/p' "$work"/s?.jsonl | tr ',' '\n' | sort | uniq -d | wc -l)" -eq 0 ] &&
        [ "$(grep -ho '"split":"estimate [0-9a-f]*"' "$work"/s?.jsonl | sort -u | wc -l)" -eq 1 ]
}
missing() {
    report 4 "$work"/s[1-46-8].jsonl && err_is "hipcontract report: shard 5 of $shards is missing: no log holds its part of gfx1151"
}
twice() { report 2 "$work"/s?.jsonl "$work/s2.jsonl" && grep -q 's2.jsonl overlap: both hold ' "$work/err" && one_error_line; }
of_other() { # FIELD VALUE SAYS: one shard's log with another value in its environment
    sed -E "1s/\"$1\":[^,}]*/\"$1\":$2/" "$work/s3.jsonl" >"$work/other.jsonl"
    ! cmp -s "$work/s3.jsonl" "$work/other.jsonl" && report 2 "$work/other.jsonl" "$work"/s[124-8].jsonl && grep -q "are not parts of one run: they differ in the $3\$" "$work/err" && one_error_line
}
others() {
    of_other commit '"0"' commit && of_other seed 2 seed && of_other toolchain '"gcc-1"' toolchain && of_other shards 9 'number of shards' &&
        of_other split '"history 0"' 'split into shards' && of_other scope '"full"' 'choice of --quick or --full'
}

n_bytes() { stat -c %s "$1" 2>"$work/null" || echo 0; }
# Starts or resumes the run and kills it after a random part of what it has yet to write: its time says little, the first run compiles too.
kill_once() {
    local how=--log pid before goal
    grep -qs . "$work/killed.jsonl" && how=--resume
    before=$(n_bytes "$work/killed.jsonl")
    goal=$((before + ($(n_bytes "$work/whole.jsonl") - before) * (RANDOM % 700) / 1000))
    "$HIPCONTRACT" contract "${some[@]}" "$how" "$work/killed.jsonl" >"$work/out" 2>"$work/err" &
    pid=$!
    until [ "$(n_bytes "$work/killed.jsonl")" -gt "$goal" ] || ! kill -0 "$pid" 2>"$work/null"; do sleep 0.02; done
    kill -9 "$pid" 2>"$work/null"
    wait "$pid" 2>"$work/null"
}
# As a machine that loses its power leaves the file: without some of its last bytes.
cut_tail() {
    [ "$(n_bytes "$work/killed.jsonl")" -lt 5000 ] || truncate -s "-$((RANDOM % 400 + 1))" "$work/killed.jsonl"
}
killed() {
    local i
    rm -f "$work/killed.jsonl"
    for i in 1 2 3 4; do
        kill_once
        cut_tail
    done
    report 4 "$work/killed.jsonl" && grep -q 'the run was killed before its end' "$work/err" && one_error_line || return 1
    ends 0 "$HIPCONTRACT" contract "${some[@]}" --resume "$work/killed.jsonl" --junit "$work/own.xml" && same_report "$work/killed.jsonl" &&
        diff <(cases_of "$work/whole.xml") <(cases_of "$work/own.xml") >"$work/err"
}
killed_shard() { # what it takes over and what it runs are the registrations of its log
    local n
    n=$(grep -m 1 -n '"record":"end"' "$work/s4.jsonl" | cut -d: -f1)
    head -n "$((n + 1))" "$work/s4.jsonl" >"$work/half.jsonl"
    ends 0 "$HIPCONTRACT" contract "${some[@]}" --shard "4/$shards" --resume "$work/half.jsonl" && same_report "$work"/s[1-35-8].jsonl "$work/half.jsonl" &&
        ends 2 "$HIPCONTRACT" contract "${some[@]}" --shard "5/$shards" --resume "$work/half.jsonl" && grep -q 'made with another shard;' "$work/err" && one_error_line
}
interrupted() { # the formats are written all the same
    "$HIPCONTRACT" contract --quick --no-db --log "$work/stop.jsonl" --junit "$work/stop.xml" --html "$work/stop.html" --markdown "$work/stop.md" --sarif "$work/stop.sarif" >"$work/out" 2>"$work/err" </dev/null &
    local pid=$! format
    until grep -qs '"record":"end"' "$work/stop.jsonl" || ! kill -0 "$pid" 2>"$work/null"; do sleep 0.1; done
    kill -INT "$pid"
    wait "$pid"
    [ $? -eq 4 ] || return 1
    for format in xml html md sarif; do
        grep -q 'the run was interrupted before its end' "$work/stop.$format" || return 1
    done
    report 4 "$work/stop.jsonl"
}

bad() { # CONTENT SAYS: a file that is no whole log
    printf '%b' "$1" >"$work/bad.jsonl"
    report 2 "$work/bad.jsonl" && err_is "hipcontract report: $work/bad.jsonl$2"
}
first_line() { head -n 1 "$work/whole.jsonl" | sed 's/\\/\\\\/g'; }
bad_logs() {
    bad '' ': an empty file, no log' && bad '{"record":"envir' ': no log: not one whole line' && bad 'no log\n' ':1: not a line of JSON' &&
        bad '{"record":"verdict"}\n' ':1: a log starts with its environment' && bad "$(first_line)\n{\"record\":\"verdict\",\n" ':2: not a line of JSON' &&
        bad "$(first_line)\n{\"record\":\"verdict\",\"subject\":\"gate\",\"status\":\"fine\"}\n" ':2: not a verdict that this version writes' &&
        bad "$(first_line)\n{\"record\":\"summary\"}\n" ':2: not a summary that this version writes' &&
        bad '{"record":"environment","format":2}\n' ":1: log format 2 is newer than this program's, 1; read it with a newer one" &&
        report 2 "$work/none.jsonl" && one_error_line && report 2 && err_is 'hipcontract report: no log; name at least one'
}
bad_places() { # a format that cannot be written costs neither the lines nor the other formats, nor a run its verdicts
    report 2 "$work/whole.jsonl" --junit "$work/none/x.xml" && grep -q '^hipcontract report: --junit .*/none/x.xml: cannot write there: ' "$work/err" && one_error_line &&
        report 2 "$work/whole.jsonl" --markdown /dev/full --junit "$work/full.xml" && [ -c /dev/full ] && err_is 'hipcontract report: --markdown /dev/full: cannot be written: No space left on device' &&
        cmp -s <(cases_of "$work/full.xml") <(cases_of "$work/whole.xml") && grep -q '^SUMMARY' "$work/out" &&
        ends 2 "$HIPCONTRACT" gates --quick --runs 2 --no-db --only 'rms_*' --markdown /dev/full && grep -q '^SUMMARY gfx1151 1 kernels: 1 pass' "$work/out"
}

check 'a report prints what the run printed' whole
check "the merge of $shards shards, in any order, is the whole run's report" sharded
check 'shards have no registration in common, and one split' together
check 'a shard that is missing is told, with status 4' missing
check 'logs that overlap are refused' twice
check 'logs that are not parts of one run are refused' others
check 'a run that was killed at random points and resumed comes to the same' killed
check 'a shard that is resumed keeps its registrations' killed_shard
check 'an interrupted run writes its formats' interrupted
check 'a file that is no log is one line' bad_logs
check 'a place that cannot be written is one line and costs nothing else' bad_places
echo "1..$n"
