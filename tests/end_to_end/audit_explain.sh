#!/usr/bin/env bash
# `audit KERNEL --explain` on a copy of the project that is a git repository: live registers and spills by source line, and two builds beside
# each other. Prints TAP; needs $HIPCONTRACT and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
cache=${HIPCONTRACT_CACHE:-$HIPCONTRACT_ROOT/build/cache}
copy=$work/copy
softmax=kernels/softmax/softmax.hip

copy_as_repository "$copy"

# explain STATUS ARGUMENT...
explain() { ends "$1" env HIPCONTRACT_CACHE="$cache" HIPCONTRACT_ROOT="$copy" "$HIPCONTRACT" audit --explain "${@:2}"; }
error_line_alone() { one_error_line && [ ! -s "$work/out" ]; }
# The number at the end of the columns of a row that begins so.
number() { sed -nE "s/^  $1 +([0-9]+).*/\\1/p" "$work/out" | head -n 1; }

peak() { # the allocation holds it, and the shares of the lines that wrote it add up to it
    explain 0 softmax_rows && out_says '^EXPLAIN gfx1151 softmax_rows ' && out_says '^  VGPRs live +[0-9]+  at kernels/softmax/softmax.hip:[0-9]+, \+0x[0-9a-f]+: v_' &&
        [ "$(number 'VGPRs live')" -le "$(number 'VGPRs allocated')" ] &&
        [ "$(awk '/^  VGPRs live, written at/ { sum += $5 } END { print sum }' "$work/out")" -eq "$(number 'VGPRs live')" ] &&
        ! out_says '^  spilled'
}
same_build() { # what is equal is left out, but for the kernel's own figures
    explain 0 softmax_rows --against HEAD && out_says '^  VGPRs live +([0-9]+) -> +\1  ' && ! out_says 'written at|on line|of class|spilled'
}
spill() { # the lines that store and reload stand there, with nothing before
    sed -i 's/__launch_bounds__(threads) void softmax_rows/__launch_bounds__(threads) __attribute__((amdgpu_num_vgpr(12))) void softmax_rows/' "$copy/$softmax" &&
        explain 0 softmax_rows --against HEAD && out_says '^  spilled: VGPR stores +- -> +[1-9][0-9]*  registers, by [0-9]+ instructions' &&
        out_says "^  spilled: VGPR stores +- -> +[1-9][0-9]*  $softmax:[0-9]+ +by [0-9]+ instructions" &&
        out_says "^  spilled: VGPR reloads +- -> +[1-9][0-9]*  $softmax:[0-9]+" && out_says '^  instructions +0 -> +[1-9][0-9]*  scratch_load_b[0-9]+' &&
        explain 0 softmax_rows --against "$HIPCONTRACT_ROOT" && out_says '^  spilled: VGPR stores +- ->'
}
formats() {
    explain 0 softmax_rows --against HEAD --format csv && out_says '^kernel,chip,compiler,what,where,before,after,note' &&
        out_says '^softmax_rows,gfx1151,debian-clang-22,spilled: VGPR stores,,,[1-9]' &&
        explain 0 softmax_rows --chip gfx1151,gfx90a --format json && [ "$(grep -cE '^    "chip": "gfx(1151|90a)"' "$work/out")" -eq 2 ] &&
        grep -A 2 '"what": "VGPRs live"' "$work/out" | grep -qE '"after": [1-9]' && ! out_says '"before"' &&
        explain 0 softmax_rows --format markdown && out_says '^\| VGPRs allocated \|  \| [0-9]+ \|'
}
symbol() { git -C "$copy" checkout --quiet -- . && explain 0 'projection_f16_w*' --chip gfx1030 && out_says '^EXPLAIN gfx1030 projection_f16_w32 '; }
uncompiled() { # what was explained before stays
    echo 'this is no HIP' >>"$copy/$softmax" && explain 1 matmul_q8_0_batch softmax_rows --chip gfx1151 && out_says '^EXPLAIN gfx1151 matmul_q8_0_batch ' &&
        err_says 'softmax for gfx1151 does not compile' && git -C "$copy" checkout --quiet -- .
}
no_kernel() { explain 2 && error_line_alone && err_says 'name a kernel' && explain 2 nobody && error_line_alone && err_says 'no kernel of gfx1151 has such a name'; }
nothing_to_compare() {
    mkdir -p "$work/empty" && explain 2 softmax_rows --against "$work/empty" && error_line_alone && err_says 'there is no kernels/softmax/softmax.hip' &&
        explain 2 softmax_rows --against nobody && error_line_alone && err_says 'nobody is no revision of' &&
        explain 3 softmax_rows --against clang-7 && error_line_alone && err_says 'against clang-7: that compiler is not installed' &&
        explain 3 softmax_rows --compiler clang-7 && error_line_alone && err_says 'compiler clang-7: that compiler is not installed'
}
other_options() { explain 2 softmax_rows --update && error_line_alone && err_says 'leave --update out'; }

check 'the peak of live registers is shared by the lines that wrote them' peak
check 'of two equal builds the kernel'"'"'s figures stand' same_build
check 'spills stand at their source lines' spill
check 'every format has the rows' formats
check 'a kernel is named by its symbol' symbol
check 'a source that does not compile costs no other' uncompiled
check 'an unknown kernel is one line' no_kernel
check 'what cannot be compared is one line' nothing_to_compare
check 'options of other audits are one line' other_options
echo "1..$n"
