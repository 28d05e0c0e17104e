#!/usr/bin/env bash
# Outputs are kept and two runs compared from the command line: equal runs, an edited kernel, another chip, another seed, files and logs that
# are damaged, a folder that cannot be written. Prints TAP; needs $HIPCONTRACT and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
kernel=rms_norm_rows
shape=2x33
cache=${HIPCONTRACT_CACHE:-$HIPCONTRACT_ROOT/build/cache}
output=gfx1151/$kernel/$shape/signed/out.f32.npy

run() { ends "$1" "$HIPCONTRACT" "${@:2}"; } # run STATUS ARGUMENT...
one_case() { run 0 run "$kernel" --shape $shape --keep-outputs "$@"; } # one_case DIR OPTION...

keeps() { # every output of every case that ran, and a log that other commands read
    run 0 gates --only "$kernel" --quick --keep-outputs "$work/a" && [ "$(find "$work/a" -name '*.npy' | wc -l)" -eq "$(grep -c '"record":"outputs"' "$work/a/run.jsonl")" ] &&
        [ -f "$work/a/$output" ] && head -c 6 "$work/a/$output" | tail -c 5 | grep -q NUMPY && run 0 report "$work/a/run.jsonl"
}
same_again() {
    run 0 gates --only "$kernel" --quick --jobs 1 --hash-outputs --log "$work/b.jsonl" && run 0 compare "$work/a" "$work/b.jsonl" &&
        out_says '^SUMMARY ([0-9]+) cases compared: \1 equal byte for byte, 0 differ; 0 of another code object; 0 only in A, 0 only in B$'
}
one_case_is_kept() {
    one_case "$work/one" && cmp "$work/one/$output" "$work/a/$output" && run 0 compare "$work/one" "$work/a" &&
        out_says '^SUMMARY 5 cases compared: 5 equal byte for byte' && out_says "^ONLY-B   gfx1151 $kernel  [0-9]+ cases, first "
}
fidelity() { # of the emulator with itself, which it says
    run 0 compare --fidelity-report "$work/b.jsonl" "$work/a" && out_says '^NOTE     this says nothing of silicon' &&
        out_says '^CLASS    gfx1151 VALU  [0-9]+ instructions: [0-9]+ agree, 0 in doubt, 0 differ$' && out_says '^AGREES   gfx1151 VALU v_fma_f32  [0-9]+ cases are equal, [0-9]+ executions$' &&
        ! out_says '^(DOUBT|DIFFERS) '
}
edited_kernel() { # the last bit of some outputs
    copy_project "$work/copy" &&
        sed -i -E 's/whole, 0\) \* scale \* load4\(weight/whole, 0) * (scale * 1.0000001f) * load4(weight/' "$work/copy/kernels/ds4/ds4.hip" &&
        HIPCONTRACT_CACHE=$cache HIPCONTRACT_ROOT=$work/copy one_case "$work/edited" --pattern signed && run 1 compare "$work/one" "$work/edited" &&
        out_says "^DIFFERS  gfx1151 $kernel  $shape \(signed\): out: 2 of 2 rows, first 0; [0-9]+ of 66 elements, [0-9]+ of them within 1 ulp, worst [1-3] ulps? at out\[[01]\]\[[0-9]+\]: 0x[0-9a-f]{8} = .*; another code object$" &&
        out_says '^SUMMARY 1 cases compared: .* 1 of another code object; 4 only in A, 0 only in B$'
}
other_code_is_no_evidence() { run 2 compare --fidelity-report "$work/one" "$work/edited" && err_says 'no case is evidence: 0 of another chip, 1 of another code object' && one_error_line; }
other_chip() { one_case "$work/cdna" --chip gfx90a && run 0 compare "$work/one" "$work/cdna" && out_says '^B .* on gfx90a ' && out_says '^SUMMARY 5 cases compared: 5 equal byte for byte, .*; 5 of another code object'; }
other_seed() { one_case "$work/seed" --seed 2 && run 2 compare "$work/one" "$work/seed" && err_says 'another seed' && one_error_line; }
json() { run 1 compare --json "$work/one" "$work/edited" && out_says '"outcome": "different"' && out_says '"most_ulps": [1-3]'; }

damaged_file() { # it costs its elements, and is told
    mv "$work/edited" "$work/damaged" && truncate -s -1 "$work/damaged/$output" && run 2 compare "$work/one" "$work/damaged" &&
        err_says "$output: not the f32 tensor of 2 x 33 that the log is of" && one_error_line && out_says "^DIFFERS  gfx1151 $kernel  $shape \(signed\): out: 2 of 2 rows, first 0; another code object$"
}
cut_log() { # as a killed run leaves it
    head -c -20 "$work/b.jsonl" >"$work/cut.jsonl" && run 0 compare "$work/a" "$work/cut.jsonl" && out_says '^B .*; its last line is cut short$'
}
wrong_logs() {
    : >"$work/empty.jsonl" && sed '3s/.*/{"record":/' "$work/b.jsonl" >"$work/corrupt.jsonl" && sed '1s/"format":1/"format":2/' "$work/b.jsonl" >"$work/newer.jsonl" &&
        sed '0,/"format":"f32"/s//"format":"f33"/' "$work/b.jsonl" >"$work/outputs.jsonl" &&
        for log in empty corrupt newer outputs missing; do
            run 2 compare "$work/a" "$work/$log.jsonl" && err_says "$work/$log.jsonl" && one_error_line || return 1
        done
}
wrong_words() {
    run 2 compare "$work/a" && one_error_line && run 2 compare "$work/a" "$work/a" "$work/a" && one_error_line && run 2 compare --json --fidelity-report "$work/a" "$work/a" && one_error_line &&
        run 2 gates --only "$kernel" --hash-outputs && err_says 'give --log too' && one_error_line &&
        run 2 gates --only "$kernel" --resume "$work/b.jsonl" --keep-outputs "$work/x" && err_says 'leave one of the two out' && one_error_line
}
no_folder() { : >"$work/file" && run 2 gates --only "$kernel" --keep-outputs "$work/file" && err_says "$work/file: cannot make the directory" && one_error_line; }
lost_folder() { # no verdict is lost where outputs cannot be written
    mkdir -p "$work/lost" && : >"$work/lost/gfx1151" && run 2 gates --only "$kernel" --quick --keep-outputs "$work/lost" && err_says 'the verdicts above are complete, the kept outputs are not' && one_error_line &&
        out_says '^SUMMARY gfx1151 1 kernels: 1 pass' && grep -q '"record":"summary"' "$work/lost/run.jsonl" && run 2 run "$kernel" --shape $shape --keep-outputs "$work/lost" && out_says '^PASS gate 4'
}

check "outputs are kept as NumPy files, with a log" keeps
check "the same run on one thread leaves the same bytes" same_again
check "run keeps one case's, which are the same" one_case_is_kept
check "a report of instructions says what it is worth" fidelity
check "an edited kernel's last bits are found, with its code object" edited_kernel
check "which is no evidence on instructions" other_code_is_no_evidence
check "two chips are compared" other_chip
check "inputs of another seed are not" other_seed
check "the comparison as JSON" json
check "a damaged file costs its elements and is one line" damaged_file
check "a log that was cut short is compared as far as it goes" cut_log
check "logs that are none are one line" wrong_logs
check "so are wrong options" wrong_words
check "and a folder that cannot be made" no_folder
check "a folder that cannot be written costs no verdict" lost_folder
echo "1..$n"
