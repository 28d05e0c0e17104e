#!/usr/bin/env bash
# `audit --against` on a copy of the project that is a git repository: what an edit of a kernel costs is told in words, worst first, and a
# broken budget is red. Prints TAP; needs $HIPCONTRACT and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
cache=${HIPCONTRACT_CACHE:-$HIPCONTRACT_ROOT/build/cache}
copy=$work/copy
softmax=kernels/softmax/softmax.hip

copy_as_repository "$copy"

# audit STATUS AGAINST OPTION...: on softmax alone.
audit() { ends "$1" env HIPCONTRACT_CACHE="$cache" HIPCONTRACT_ROOT="$copy" "$HIPCONTRACT" audit --only softmax_rows --against "${@:2}"; }
restore() { git -C "$copy" checkout --quiet -- . && git -C "$copy" clean --quiet -fd; }
edit() { # edit FILE SED: fails where nothing changes
    sed -i -E "$2" "$copy/$1" && ! git -C "$copy" diff --quiet
}
changes() { grep -cE '^(OVER|WORSE|GONE|NEW|CHANGED|BETTER) ' "$work/out"; }
one_change() { [ "$(changes)" -eq 1 ]; }

unchanged() { audit 0 HEAD && [ "$(changes)" -eq 0 ] && out_says '^SUMMARY .* against HEAD \([0-9a-f]{12}\), its records of [a-z]*-?clang-[0-9]+: .*7 unchanged'; }
# Longer, and no more than that.
larger_code() {
    edit "$softmax" 's/(v\[i\] = exp_of\(v\[i\] - shift\) \* inverse);/\1 * 1.5f;/' && audit 0 HEAD &&
        [ "$(grep -cE '^(CHANGED|WORSE|BETTER) ' "$work/out")" -eq 7 ] && out_says '^(CHANGED|WORSE) gfx1151 softmax_rows  .*[0-9]+ → [0-9]+ bytes of code: still 16 waves a SIMD on gfx1151$'
}
# 40,064 bytes of LDS: three workgroups of eight waves on the four SIMDs of a WGP. CDNA's CU holds one of four waves, gfx950's four.
fewer_waves() {
    restore && edit "$softmax" 's/__shared__ running of_wave\[threads \/ wave\];/__shared__ running of_wave[5008];/' && audit 1 HEAD --chip gfx1151,gfx90a &&
        out_says '^OVER +gfx1151 softmax_rows  64 → 40064 bytes of LDS.*: 16 → 6 waves a SIMD on gfx1151, limited by LDS; over budget: 6 waves a SIMD, the budget wants 16$' &&
        out_says '^OVER +gfx90a softmax_rows  .*: 8 → 1 waves a SIMD on gfx90a, limited by LDS; over budget: 1 waves a SIMD, the budget wants 8$' &&
        out_says '^SUMMARY gfx1151,gfx90a .*2 over budget'
}
spills() {
    restore && edit "$softmax" 's/__launch_bounds__\(threads\) void softmax_rows/__launch_bounds__(threads) __attribute__((amdgpu_num_vgpr(12))) void softmax_rows/' &&
        audit 1 HEAD --chip gfx1151 && one_change &&
        out_says '^OVER +gfx1151 softmax_rows  0 → [0-9]+ bytes of scratch, 0 → [0-9]+ spilled VGPRs, 21 → [0-9]+ VGPRs.*; over budget: [0-9]+ bytes of scratch, the budget is none; [0-9]+ spilled VGPRs, the budget is none; spills at .*\.(hip|h):[0-9]+ \([0-9]+ instructions?\)'
}
uncompiled() { # what does not compile is not gone
    restore && echo 'this is no HIP' >>"$copy/$softmax" && audit 1 HEAD --chip gfx1151 && [ "$(changes)" -eq 0 ] &&
        out_says 'gfx1151 softmax .*does not compile' && out_says '1 not compared'
}
folder_of_records() { restore && audit 0 "$copy" && [ "$(changes)" -eq 0 ] && audit 0 "$copy/records" && audit 0 "$copy/records/debian-clang-22" && [ "$(changes)" -eq 0 ]; }
sources_of_folder() { # without records the sources are compiled: what they were, not what the working tree is
    mkdir -p "$work/sources" && cp -r "$copy/kernels" "$work/sources/" && edit "$softmax" 's/running of_wave\[threads \/ wave\];/running of_wave[5008];/' &&
        audit 1 "$work/sources" --chip gfx1151 && out_says ': 16 → 6 waves a SIMD on gfx1151' && out_says 'its sources compiled: it has no records of'
}
older_records() { # of another version of the compiler, which is said
    restore && mkdir -p "$work/older" && cp -r "$copy/records" "$work/older/" && sed -i -E '1s/[0-9]+\.[0-9]+\.[0-9]+/22.0.7/' "$work/older/records/debian-clang-22/softmax.txt" &&
        audit 0 "$work/older" --chip gfx1151 && out_says 'debian-clang-22, recorded with .*22\.0\.7.*: .* 1 unchanged \(.*version 22'
}
wrong_line() { # of a revision: told by its name there, and no other is lost
    restore && sed -i -E 's/^(softmax_rows +gfx90a .*)/\1 7/' "$copy/records/debian-clang-22/softmax.txt" &&
        git -C "$copy" -c user.name=a -c user.email=a@example.org commit --quiet --all --message=wrong && audit 2 HEAD && one_error_line &&
        err_says '^HEAD:records/debian-clang-22/softmax\.txt:[0-9]+: ' && out_says '1 new, .*6 unchanged' && git -C "$copy" reset --quiet --hard HEAD~1
}
for_programs() { # JSON alone on standard output, and the status says the rest
    edit "$softmax" 's/running of_wave\[threads \/ wave\];/running of_wave[5008];/' && audit 1 HEAD --chip gfx1151 --format json &&
        out_says '"over_budget": true' && out_says '"occupancy": 6' && ! out_says SUMMARY && audit 1 HEAD --chip gfx1151 --format csv && [ "$(wc -l <"$work/out")" -eq 2 ]
}
options_that_do_not_go_together() { audit 2 HEAD --update && one_error_line && err_says 'leave --update out' && audit 2 HEAD --compiler all && err_says 'leave --compiler out'; }
empty_folder() { restore && mkdir -p "$work/empty" && audit 2 "$work/empty" && one_error_line && err_says 'neither records of .* nor sources'; }
nobody() { audit 2 nobody && one_error_line && err_says '\-\-against: no compiler, no folder, and nobody is no revision of'; }
no_compiler() { audit 3 clang-7 && one_error_line && err_says '\-\-against clang-7: that compiler is not installed'; }
another_compiler() { # the same compiler by its name: no difference
    audit 0 debian-clang-22 --chip gfx1151 && [ "$(changes)" -eq 0 ] && out_says '1 unchanged'
}

check 'nothing has changed against HEAD' unchanged
check 'a change that costs no wave is told with the waves that stay' larger_code
check 'LDS that costs waves is told in words and breaks the budget' fewer_waves
check 'a spill stands in one line' spills
check 'a kernel that does not compile is not gone' uncompiled
check 'a folder with records is read' folder_of_records
check 'a folder without records is compiled' sources_of_folder
check 'records of another version of the compiler are named' older_records
check 'a wrong line of a record is told by its place in the revision' wrong_line
check 'formats for programs hold the changes alone' for_programs
check 'options that have no meaning here are refused' options_that_do_not_go_together
check 'a folder of neither is one line and status 2' empty_folder
check 'a name that is nothing is one line and status 2' nobody
check 'a compiler that is not there is one line and status 3' no_compiler
check 'another compiler is compared by name' another_compiler
echo "1..$n"
