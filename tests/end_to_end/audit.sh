#!/usr/bin/env bash
# `audit` on one kernel: the table of every compiler, its formats for programs, and what is asked of it wrongly. Prints TAP; needs $HIPCONTRACT
# and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
# The records are edited: they are a copy's, whose sources are the same and in the cache.
export HIPCONTRACT_CACHE=${HIPCONTRACT_CACHE:-$HIPCONTRACT_ROOT/build/cache}
copy=$work/copy
copy_project "$copy"
record=$copy/records/debian-clang-22/softmax.txt

# audit STATUS OPTION...: on softmax alone, of the default compiler.
audit() { ends "$1" env HIPCONTRACT_ROOT="$copy" "$HIPCONTRACT" audit softmax_rows --compiler clang-22 "${@:2}"; }
restore() { cp "$HIPCONTRACT_ROOT/records/debian-clang-22/softmax.txt" "$record"; }
rows() { grep -cE '^softmax_rows +gfx[0-9a-f]+ +clang-22 ' "$work/out"; }
# The figure of a chip as the committed record has it, by its column's name.
recorded() { # recorded CHIP COLUMN
    awk -v chip="$1" -v name="$2" '/^# kernel/ { for (i = 1; i <= NF; i++) if ($i == name) column = i - 1 } $2 == chip { print $column }' "$record"
}

table() {
    audit 0 --chip all && [ "$(rows)" -eq 7 ] && out_says '^kernel +chip +compiler +vgprs .* limit +record$' &&
        out_says '^SUMMARY clang-22 7 kernels and chips measured: 0 limit problems; .* from the cache; [0-9]+ ms \(.*version 22'
}
stale() {
    restore && sed -i -E '/gfx1151/s/ [0-9]+( +slots)/ 99\1/' "$record" && audit 1 --chip gfx1151,gfx90a &&
        out_says '^softmax_rows +gfx1151 .* record stale: occupancy 99 -> [0-9]+$' && out_says ' 1 limit problems;'
}
wrong_line() { restore && echo 'softmax_rows gfx1151 1' >>"$record" && audit 2 --chip gfx1151 && [ "$(rows)" -eq 1 ] && out_says '^LIMIT gfx1151 .*softmax\.txt:[0-9]+: '; }
# A file of something else: JSON holds its words without the bytes that are no text.
foreign_bytes() {
    restore && printf '\377\376kernel gfx1151 1\n' >>"$record" && audit 2 --chip gfx1151 --format json &&
        out_says '"kernel": "\?\?kernel"' && out_says '"state": "malformed"' && out_says '"state": "current"' && [ ! -s "$work/err" ]
}
# The figures of the record, by their names.
json() {
    restore && audit 0 --chip gfx90a --format json && [ "$(grep -c '"kernel":' "$work/out")" -eq 1 ] &&
        out_says '"chip": "gfx90a"' && out_says '"state": "current"' && out_says '"problem": false' &&
        for figure in vgprs code occupancy; do out_says "\"$figure\": $(recorded gfx90a "$figure")(,|\$)" || return; done &&
        [ "$(head -c 1 "$work/out")" = '[' ] && [ "$(tail -n 1 "$work/out")" = ']' ]
}
csv() {
    audit 0 --chip gfx90a --format csv &&
        awk -F, -v vgprs="$(recorded gfx90a vgprs)" '
            NR == 1 { for (i = 1; i <= NF; i++) { sub(/\r$/, "", $i); column[$i] = i } }
            NR == 2 { sub(/\r$/, ""); good = $column["family"] == "softmax" && $column["vgprs"] == vgprs && $column["state"] == "current" }
            END { exit !(good && NR == 2) }' "$work/out"
}
# Of a launcher's variants a chip has some: the others are not there for an older compiler to refuse. clang-15 knows no gfx1201.
variants() {
    local all='--compiler clang-22,clang-15 --chip gfx1201'
    # shellcheck disable=SC2086
    ends 0 env HIPCONTRACT_ROOT="$copy" "$HIPCONTRACT" audit 'hgemm*splitk*' $all &&
        out_says 'gfx1201 +clang-15 .*not compiled by clang-15' &&
        diff -u <(awk '$3 == "clang-22" { print $1 }' "$work/out") <(awk '$3 == "clang-15" { print $1 }' "$work/out")
}
markdown() { audit 0 --chip gfx90a --format markdown && out_says "^\| softmax_rows \| gfx90a \| clang-22 \| $(recorded gfx90a vgprs) \|" && [ "$(grep -c '^|' "$work/out")" -eq 3 ]; }
record_line() { audit 0 --chip gfx90a --record && out_says "^RECORD gfx90a softmax_rows vgprs $(recorded gfx90a vgprs) .* compiler clang-22$"; }
record_in_a_table_for_programs() { audit 2 --format json --record && one_error_line && err_says 'leave --record out'; }
# One name of a list that is wrong is not passed over.
no_compiler() {
    audit 3 --compiler clang-22,clang-7 && one_error_line && err_says '\-\-compiler clang-7: not installed' &&
        audit 3 --compiler clang-22, && one_error_line && audit 0 --chip gfx90a --compiler debian-clang-22
}
no_kernel() { ends 2 "$HIPCONTRACT" audit nobody --chip gfx1151 --compiler clang-22 && one_error_line && err_says 'no registration has such a name'; }
no_chip() { audit 2 --chip gfx1 && one_error_line && err_says 'gfx1'; }

check 'the table has a row for each chip' table
check 'a figure that differs is named and red' stale
check 'a wrong line is told and costs no row' wrong_line
check 'a line that is no text costs no row of JSON' foreign_bytes
check 'JSON has the figures by name' json
check 'CSV has a header and the same figures' csv
if [ -x /usr/lib/llvm-15/bin/clang ]; then
    check 'an older compiler misses the kernels that the chip has, and no others' variants
fi
check 'Markdown is a table' markdown
check 'a RECORD line names figures and compiler' record_line
check 'RECORD lines do not stand in JSON' record_in_a_table_for_programs
check 'a compiler that is not installed is one line and status 3' no_compiler
check 'a kernel that is none is one line and status 2' no_kernel
check 'a chip that is none is one line and status 2' no_chip
echo "1..$n"
