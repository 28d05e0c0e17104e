#!/usr/bin/env bash
# Weights from a file, from the command line: a checked-in layer of an exl3 checkpoint holds the contract, and what cannot be run is one line
# and status 2. Prints TAP; needs $HIPCONTRACT and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
file=$HIPCONTRACT_ROOT/tests/data/exl3.safetensors
layer=model.layers.0.self_attn.q_proj
linear=tf_exl3_linear_k8_w4
cache=${HIPCONTRACT_CACHE:-$HIPCONTRACT_ROOT/build/cache}

# run STATUS ARGUMENT...: hipcontract run ends with that status; its output is in $work/out and $work/err.
run() { ends "$1" "$HIPCONTRACT" run "${@:2}"; }

passes() { [ "$(grep -cE -- "^PASS gate $1 " "$work/out")" -eq "$2" ]; }
refuses() { # refuses WORDS ARGUMENT...: status 2 and one line with those words
    local words=$1
    shift
    run 2 "$@" && [ "$(wc -l <"$work/err")" -eq 1 ] && grep -qF -- "$words" "$work/err"
}

holds() { # one row and sixteen; gates 1 and 3 on two patterns, 1 and 2 on the third
    run 0 $linear --weights "$file:$layer" && out_says "^$linear at 1x128x128 of $file:$layer on gfx1151" && out_says "^$linear at 16x128x128 of " &&
        passes 1 6 && passes 2 2 && passes 3 4 && out_says "^not used by $linear: bias F16 \[128\]$"
}
holds_rot_in() {
    run 0 tf_exl3_rot_in_bf16 --weights "$file:$layer" --rows 5 --pattern onesided && out_says '^PASS gate 3 at 5x128 \(onesided\)' &&
        [ "$(grep -c '^PASS' "$work/out")" -eq 2 ]
}
decides_the_outputs() { # the same file is the same outputs, another first svh is others
    local before after svh_at
    outputs() { sed -nE 's/^PASS gate 1 .*, outputs ([0-9a-f]{32}),.*/\1/p' "$work/out"; }
    run 0 $linear --weights "$file:$layer" --rows 1 && before=$(outputs) && run 0 $linear --weights "$file:$layer" --rows 1 && [ "$before" = "$(outputs)" ] || return 1
    cp "$file" "$work/other.safetensors"
    svh_at=$(($(stat -c %s "$file") - 512)) # svh, then bias, 256 bytes each, end the file
    printf '\0\70' | dd of="$work/other.safetensors" bs=1 seek="$svh_at" conv=notrunc status=none
    run 0 $linear --weights "$work/other.safetensors:$layer" --rows 1 && after=$(outputs) && [ "$(wc -l <<<"$after")" -eq 3 ] && [ "$before" != "$after" ]
}
red_repeats() { # a kernel with another codebook is red, and says how to repeat it with the file
    copy_project "$work/copy"
    sed -i 's/0x1EEE1EEEu/0x1EEF1EEFu/' "$work/copy/kernels/exl3/linear.h"
    ! cmp -s "$work/copy/kernels/exl3/linear.h" "$HIPCONTRACT_ROOT/kernels/exl3/linear.h" || return 1
    HIPCONTRACT_CACHE=$cache HIPCONTRACT_ROOT=$work/copy run 1 $linear --weights "$file:$layer" --pattern signed &&
        out_says "^  repeat: hipcontract run $linear --weights $file:$layer --rows 16 --pattern signed "
}
cut_short() {
    head -c 9000 "$file" >"$work/short"
    refuses "$work/short: tensor $layer." $linear --weights "$work/short:$layer"
}
cannot_be_run() {
    refuses 'give FILE:NAME' $linear --weights "$file" || return 1
    refuses "of other the file has nothing" $linear --weights "$file:other" || return 1
    refuses 'softmax_rows takes no weights from files' softmax_rows --weights "$file:$layer" || return 1
    refuses 'N = 128 runs with 4 waves a block, not 8' tf_exl3_linear_k8_w8 --weights "$file:$layer" || return 1
    refuses 'does not run pattern exact on the weights of a file' $linear --weights "$file:$layer" --pattern exact || return 1
    refuses '--weights makes the shape' $linear --weights "$file:$layer" --shape 1x512x128 || return 1
    refuses '--weights makes the shape' $linear --weights "$file:$layer" --bytes rows || return 1
    refuses '--rows goes with --weights' $linear --bytes rows --rows 4 || return 1
    refuses '--rows goes with --weights' $linear --shape 1x512x128 --rows 4 || return 1
    refuses '--rows 0: give a number from 1' $linear --weights "$file:$layer" --rows 0
}

check 'a layer of a file holds the contract of the linear' holds
check 'and that of rot_in, for as many rows as asked' holds_rot_in
check 'its bytes decide the outputs' decides_the_outputs
check 'a red case says how to repeat it' red_repeats
check 'a file that is cut short is status 2' cut_short
check 'what cannot be run is one line and status 2' cannot_be_run
echo "1..$n"
