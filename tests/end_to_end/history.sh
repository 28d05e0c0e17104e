#!/usr/bin/env bash
# `contract --db` and `history`: a run is recorded and shown; one that is interrupted or killed leaves what it decided; files that cannot
# take a run. Prints TAP; needs $HIPCONTRACT and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
export XDG_DATA_HOME=$work/data
db=$work/h.db

# gates STATUS ARGUMENT...: the smallest registration, with the checks that take time left out.
gates() { ends "$1" "$HIPCONTRACT" gates --quick --runs 2 --no-check all --only softmax_rows "${@:2}"; }
shows() { ends "$1" "$HIPCONTRACT" history "${@:2}"; }

recorded() { # by default below XDG_DATA_HOME, else where --db says
    gates 0 && gates 0 && shows 0 && out_says '^  2  .* emulator  quick +1    0      0       0 .*  holds ' && out_says '^  1  ' &&
        shows 0 softmax_rows && out_says '^softmax_rows on gfx1151 \(emulator, quick shapes\): 2 runs$' && out_says '^  worst +▁▁  ' && out_says '^  time +[▁█]+  ' &&
        gates 0 --db "$db" && shows 0 --db "$db" && [ "$(grep -c gfx1151 "$work/out")" -eq 1 ]
}
# The numbers of a field: of lines of the log that match, smallest first; of what is shown.
logged() { grep -- "$2" "$work/log.jsonl" | sed -nE "s/.*\"$1\":([^,}]*).*/\\1/p" | sort -g; }
shown() { sed -nE "s/^ *\"$1\": ([^,]*),?\$/\\1/p" "$work/out"; }
figures() { # what the history says of a run is what its log says
    rm -f "$db" && gates 0 --db "$db" --log "$work/log.jsonl" && shows 0 softmax_rows --db "$db" --json &&
        awk -v shown="$(shown worst_ratio)" -v logged="$(logged worst_ratio '"subject":"gate".*"gate":3' | tail -n 1)" 'BEGIN { exit !(shown > 0 && shown == logged) }' &&
        [ "$(shown duration_ns)" -eq "$(logged duration_ns '"record":"end"')" ] && [ "$(shown verdicts)" -eq "$(grep -c '"record":"verdict"' "$work/log.jsonl")" ]
}
resources() { # of the kernel, as its record has them
    rm -f "$db" && ends 0 "$HIPCONTRACT" contract --quick --runs 2 --no-check all --only softmax_rows --db "$db" && shows 0 softmax_rows --db "$db" &&
        out_says '^resources of softmax_rows on gfx1151 \(debian-clang-22\): 1 run$' && out_says "  $(awk '$1 == "softmax_rows" && $2 == "gfx1151" { print $3 }' "$HIPCONTRACT_ROOT"/records/debian-clang-22/softmax*) .* current$"
}
# The split that the log of a shard names.
split() { sed -nE '1s/.*"split":"([^"]*)".*/\1/p' "$1"; }
shards() { # that are recorded in the history that they are split by are split alike, the second after the first
    rm -f "$db"
    local some=(--only softmax_rows --only 'rms_norm*')
    gates 0 "${some[@]}" --db "$db" && gates 0 "${some[@]}" --db "$db" --costs "$db" --shard 1/2 --log "$work/1.jsonl" &&
        gates 0 "${some[@]}" --db "$db" --costs "$db" --shard 2/2 --log "$work/2.jsonl" && split "$work/1.jsonl" | grep -q '^history ' &&
        [ "$(split "$work/1.jsonl")" = "$(split "$work/2.jsonl")" ] && shows 0 --db "$db" && out_says '^  3  .* quick 2/2 ' &&
        gates 0 "${some[@]}" --db "$db" --shard 1/2 --log "$work/3.jsonl" && split "$work/3.jsonl" | grep -q '^estimate ' &&
        ends 0 "$HIPCONTRACT" report "$work/1.jsonl" "$work/2.jsonl"
}
merged() { # a run that shards made on machines of their own is recorded from their logs, as if it had been recorded at once
    local key
    rm -f "$db" && ends 0 "$HIPCONTRACT" report "$work/1.jsonl" "$work/2.jsonl" --db "$db" && shows 0 --db "$db" && out_says '^  1  .* quick  +2 ' &&
        shows 0 --db "$db" softmax_rows --json && cp "$work/out" "$work/merged.json" && gates 0 --only 'rms_norm*' --db "$db" && shows 0 --db "$db" softmax_rows --last 1 --json || return
    for key in code verdicts red known worst_ratio exit; do
        [ "$(grep "\"$key\":" "$work/out")" = "$(grep "\"$key\":" "$work/merged.json")" ] || return
    done
    grep -q '"duration_ns": [1-9]' "$work/merged.json" && grep -q '"run_duration_ns": [1-9]' "$work/merged.json"
}
not_recorded() { rm -rf "$XDG_DATA_HOME" && gates 0 --no-db && [ ! -e "$XDG_DATA_HOME" ]; }
# Two registrations into a new history, the second of which takes a while, and that signal when the first has passed.
stop_with() {
    rm -f "$db" "$work/out"
    "$HIPCONTRACT" gates --quick --db "$db" --only 'softmax_rows' --only 'tf_exl3_linear_k1*' >"$work/out" 2>"$work/err" &
    local pid=$!
    until grep -qs '^PASS .* softmax_rows ' "$work/out" || ! kill -0 "$pid" 2>"$work/null"; do sleep 0.1; done
    kill -"$1" "$pid"
    wait "$pid" 2>"$work/null"
}
killed() {
    stop_with KILL
    [ $? -eq 137 ] && shows 0 --db "$db" && out_says '^  1  .* unfinished ' && shows 0 --db "$db" softmax_rows && out_says ': 1 run$'
}
interrupted() {
    stop_with TERM
    [ $? -eq 4 ] && shows 0 --db "$db" && out_says '^  1  .* interrupted ' && shows 0 --db "$db" softmax_rows && out_says ': 1 run$'
}
unusable() { # asked for by name it is the run's error, before anything is run; by default it is a line, and the run goes on
    gates 2 --db "$work/nowhere/h.db" && one_error_line && err_says 'gates: .*/nowhere/h.db: unable to open' && [ ! -s "$work/out" ] &&
        gates 2 --db /dev/full && one_error_line && gates 2 --db "$db" --no-db && one_error_line &&
        XDG_DATA_HOME=/dev/null gates 0 && one_error_line && err_says '^hipcontract gates: not recorded: /dev/null' && out_says '^SUMMARY .* 1 pass'
}
nothing_there() {
    shows 2 --db "$work/none.db" && one_error_line && err_says 'none.db: there is no history yet' && [ ! -e "$work/none.db" ] &&
        gates 0 --db "$db" && shows 2 --db "$db" nobody && one_error_line && err_says 'no run of nobody is recorded' &&
        shows 2 --db "$db" softmax_rows --chip gfx90a && err_says 'no run of softmax_rows on gfx90a is recorded' && shows 0 --db "$db" nobody --json && out_says '"registrations": \[\]' &&
        shows 2 --last 0 && one_error_line
}

echo "1..10"
check "runs are recorded, by default below XDG_DATA_HOME, and shown with their trend" recorded
check "what the history says of a run is what its log says" figures
check "what the kernel needs is recorded with the run" resources
check "shards are split by the times of the history, all alike" shards
check "a merged run is recorded from its logs" merged
check "--no-db records nothing" not_recorded
check "a run that was killed leaves what it had decided" killed
check "an interrupted run is recorded as one" interrupted
check "a history that cannot take the run is an error where it was asked for, else a line" unusable
check "no history, no such kernel and a wrong number are one line each" nothing_there
