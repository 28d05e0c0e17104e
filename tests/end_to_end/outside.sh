#!/usr/bin/env bash
# Out of tree: the example project is copied elsewhere, built against what `make install` installed and nothing else, and held by the installed
# program with its own sources and records; what is no file of kernels for this program is one line and status 2. Prints TAP; needs $BUILD and
# $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
tree=$HIPCONTRACT_ROOT
export HIPCONTRACT_CACHE=${HIPCONTRACT_CACHE:-$BUILD/cache}
unset HIPCONTRACT_ROOT
prefix=$work/installed
project=$work/project
file=$project/build/kernels.so
cp -r "$tree/tests/outside" "$project"
rm -rf "$project/build"

# run STATUS ARGUMENT...: the installed program, in a folder that has nothing to do with it, ends with that status.
run() { ends "$1" from_elsewhere "${@:2}"; }
from_elsewhere() { (cd / && "$prefix/bin/hipcontract" "$@"); }

err_says() { grep -qF -- "$1" "$work/err"; }
refuses() { # refuses WORDS FILE...: every command that takes files ends with status 2 and the same line with those words
    local words=$1 command given=() one
    shift
    for one in "$@"; do given+=(--kernels "$one"); done
    for command in contract gates limits list 'run example_dot --shape 2x33'; do
        # shellcheck disable=SC2086 # a command and its arguments
        run 2 $command "${given[@]}" && [ ! -s "$work/out" ] && [ "$(wc -l <"$work/err")" -eq 1 ] && err_says "--kernels ${*: -1}: " && err_says "$words" || return 1
    done
}
# build FILE.so TEXT: a shared object of C text, against the installed header.
build() {
    gcc -shared -fPIC "-I$prefix/include" -o "$1" -x c - <<<"$2" >"$work/out" 2>"$work/err"
}
edit() { # edit FILE SED: fails where nothing changes
    cp "$1" "$work/before"
    sed -i -E "$2" "$1"
    ! cmp -s "$work/before" "$1"
}

installs() {
    make -s -C "$tree" install-built BUILD="$BUILD" PREFIX="$prefix" >"$work/out" 2>"$work/err" &&
        [ -x "$prefix/bin/hipcontract" ] && [ -f "$prefix/include/hipcontract.h" ] && [ -f "$prefix/share/man/man1/hipcontract.1" ] && [ -f "$prefix/share/doc/hipcontract/out-of-tree.md" ]
}
# Every declaration of the installed headers, and nothing else, can be linked to.
exports_what_it_declares() {
    grep -rhE '^[a-z].*\(' "$prefix/include" | grep -vE '^(static|typedef)|\{' | sed -nE 's/^[a-z][a-z0-9_ ]*[ *]([a-z_0-9]+)\(.*/\1/p' | LC_ALL=C sort -u >"$work/out"
    nm -D --defined-only "$prefix/bin/hipcontract" | awk '$2 == "T" { print $3 }' | LC_ALL=C sort >"$work/err"
    [ "$(wc -l <"$work/out")" -gt 50 ] && cmp "$work/out" "$work/err"
}
builds() { make -C "$project" PREFIX="$prefix" CC=gcc >"$work/out" 2>"$work/err" && [ -f "$file" ]; }
# -W: as if that header had just been installed.
follows_its_headers() {
    make -q -C "$project" PREFIX="$prefix" CC=gcc && ! make -q -C "$project" PREFIX="$prefix" CC=gcc -W "$prefix/include/hipcontract/contract/registry.h"
}
holds() {
    run 0 contract --kernels "$file" --chip gfx1151,gfx90a --log "$work/run.jsonl" && head -n 1 "$work/run.jsonl" | grep -qE "\"kernels\": ?\"$file\"" && out_says '^PASS +gfx90a example_dot_launcher .*launcher: devices, wave size' &&
        out_says '^RED +gfx1151 example_row_late ' && out_says '^RED +gfx90a example_wave_assumed ' && out_says '^LIMIT gfx90a example_dot_32 +record current$' &&
        [ "$(grep -c '^SUMMARY .* 2 kernels: 2 pass gates 1-4, 0 fail, .* 2 controls: 2 red as planted, 0 missed; 0 limit problems' "$work/out")" -eq 2 ]
}
lists() { run 0 list --kernels "$file" && out_says '^example_dot_launcher ' && ! grep -q softmax "$work/out"; }
# The cache stays with the project where nothing says otherwise.
caches_there() { (unset HIPCONTRACT_CACHE && run 0 limits --kernels "$file" --chip gfx1151) && ls "$project"/build/cache/*.entry >"$work/out"; }

reads_its_records() {
    edit "$project/records/debian-clang-22/example.txt" '/_32 gfx1151/s/ 10 / 11 /' && run 1 limits --kernels "$file" --chip gfx1151 && out_says 'example_dot_32 +record stale' &&
        run 0 limits --kernels "$file" --update && out_says '1 record files written' &&
        cmp "$project/records/debian-clang-22/example.txt" "$tree/tests/outside/records/debian-clang-22/example.txt"
}
reads_its_sources() {
    edit "$project/kernels/dot.hip" 's/out\[blockIdx.x\] = part/out[blockIdx.x] = 1.0001f * part/' && run 1 run example_dot --kernels "$file" --shape 2x33 --pattern signed &&
        out_says "^  repeat: hipcontract run example_dot --shape 2x33 .* --kernels $file --chip "
}
# Another project with the same folders and another name: each has its own root, so that the edited kernel is red, and only that.
keeps_roots_apart() {
    local other=$work/other
    cp -r "$tree/tests/outside" "$other" && rm -rf "$other/build" && edit "$other/dot.c" 's/example_(dot\b|dot_launcher|row|wave)/other_\1/g' && make -C "$other" PREFIX="$prefix" CC=gcc >"$work/out" 2>"$work/err" || return 1
    run 1 contract --kernels "$file" --kernels "$other/build/kernels.so" --quick && out_says '^FAIL +gfx1151 example_dot ' && out_says '^PASS +gfx1151 other_dot ' &&
        out_says '^SUMMARY gfx1151 4 kernels: 2 pass gates 1-4, 2 fail' && cp "$tree/tests/outside/kernels/dot.hip" "$project/kernels/" &&
        run 0 contract --kernels "$file" --kernels "$other/build/kernels.so" --quick && out_says '^SUMMARY gfx1151 4 kernels: 4 pass gates 1-4, 0 fail'
}

header() { rm -rf "$work/header" && cp -r "$prefix/include" "$work/header" && edit "$work/header/$1" "$2"; }
with_header() { # with_header FILE SED: the example built against a header that differs
    header "$1" "$2" && gcc -std=c11 -I"$work/header" -shared -fPIC -o "$work/differs.so" "$project/dot.c" "$project/dot_launch.c" -lm
}
other_abi() { with_header hipcontract.h 's/HIPCONTRACT_ABI = ([0-9]+)/HIPCONTRACT_ABI = 1\1/' && refuses 'built for ABI 1' "$work/differs.so"; }
other_layout() { with_header hipcontract/contract/registry.h 's/REG_MAX_DIMS = 6/REG_MAX_DIMS = 7/' && refuses 'bytes of struct reg_shape are 72 there and 64 in this program' "$work/differs.so"; }
other_depth() { with_header hipcontract/reference/depth.h 's/DEPTH_MAX_PARTS = 8/DEPTH_MAX_PARTS = 9/' && refuses 'bytes of struct depth are 152 there and 136 in this program' "$work/differs.so"; }
other_numbers() { with_header hipcontract.h '/"number formats"/d' && refuses 'numbers of the layout are' "$work/differs.so"; }
other_formats() { with_header hipcontract/reference/format.h 's/FORMAT_I8,/FORMAT_F8, FORMAT_I8,/' && refuses 'number formats are 11 there and 10 in this program' "$work/differs.so"; }
no_symbol() { build "$work/plain.so" 'int kernels;' && refuses 'has no symbol hipcontract_kernels; say HIPCONTRACT_KERNELS' "$work/plain.so"; }
no_kernel() { build "$work/none.so" '#include <hipcontract.h>
HIPCONTRACT_KERNELS("");' && refuses 'registers no kernel; REG_KERNEL does' "$work/none.so"; }
undefined() { build "$work/undefined.so" '#include <hipcontract.h>
HIPCONTRACT_KERNELS(""); double from_a_later_program(void); double f(void) { return from_a_later_program(); }' &&
    refuses 'undefined symbol: from_a_later_program; link what it needs into it' "$work/undefined.so"; }
no_folder() { build "$work/lost.so" '#include <hipcontract.h>
static const struct registration r = {.name = "lost"}; REG_KERNEL(&r); HIPCONTRACT_KERNELS("no/such");' && refuses "names the folder $work/no/such: No such file" "$work/lost.so"; }
no_source() { build "$work/lost.so" '#include <hipcontract.h>
static const struct registration r = {.name = "lost", .source = "kernels/lost.hip"}; REG_KERNEL(&r); HIPCONTRACT_KERNELS("project");' &&
    refuses "source $project/kernels/lost.hip of registration lost: No such file" "$work/lost.so"; }
no_file() { refuses 'No such file or directory' "$work/absent.so"; }
no_object() { echo text >"$work/text.so" && refuses 'cannot be loaded: ' "$work/text.so"; }
name_of_program() { build "$work/taken.so" '#include <hipcontract.h>
static const struct registration r = {.name = "softmax_rows", .source = "kernels/dot.hip"}; REG_KERNEL(&r); HIPCONTRACT_KERNELS("project");' &&
    refuses 'registration softmax_rows exists already, in hipcontract itself; give it another name' "$work/taken.so"; }
name_of_file() { cp "$file" "$project/build/copy.so" && refuses 'exists already, in this file or one before it' "$file" "$project/build/copy.so"; }
control_of_program() { build "$work/taken.so" '#include <hipcontract.h>
static const struct registration r = {.name = "mine", .source = "kernels/dot.hip"}; REG_KERNEL(&r); HIPCONTRACT_KERNELS("project");
static const struct control c = {.name = "softmax_no_barrier", .registration = "mine"}; REG_CONTROL(&c);' &&
    refuses 'control softmax_no_barrier exists already, in hipcontract itself' "$work/taken.so"; }
given_twice() { refuses 'given twice' "$file" "$file"; }
bad_registration() { build "$work/bad.so" '#include <hipcontract.h>
static const struct registration r = {.name = "mine", .source = "kernels/dot.hip"}; REG_KERNEL(&r); HIPCONTRACT_KERNELS("project");' &&
    run 2 list --kernels "$work/bad.so" && err_says 'registration mine: '; }
uninstalls() { make -s -C "$tree" uninstall PREFIX="$prefix" >"$work/out" 2>"$work/err" && [ -z "$(find "$prefix" -type f)" ]; }

check "make install installs program, header, manual page and documents" installs
check "the program exports the functions that the installed headers declare, and no other" exports_what_it_declares
check "the example builds against the installed header alone" builds
check "it is built anew where an installed header is newer" follows_its_headers
check "it holds, on two chips, with its own sources and records; its launcher's checks and both controls are as planted" holds
check "only what the file registers is listed" lists
check "what is compiled stays with the project" caches_there
check "records are the project's: a changed number is red, and --update writes them again" reads_its_records
check "sources are the project's: an edited kernel is red, and the line that repeats it names the file" reads_its_sources
check "two files keep their sources apart, though they have the same paths" keeps_roots_apart
check "another ABI is one line" other_abi
check "so is another layout of the same ABI" other_layout
check "or another number of parts of a depth" other_depth
check "and one with fewer numbers" other_numbers
check "and another list of number formats" other_formats
check "a shared object without the symbol is one line" no_symbol
check "so is one that registers nothing" no_kernel
check "and one that needs what the program does not have" undefined
check "and one whose folder is not there" no_folder
check "and one whose source is not there" no_source
check "and a file that is not there" no_file
check "and one that is no shared object" no_object
check "a name of the program itself is refused" name_of_program
check "so is one of a file before" name_of_file
check "and a control's" control_of_program
check "and a file that is given twice" given_twice
check "a registration that is invalid is as invalid as in the program" bad_registration
check "make uninstall takes all away" uninstalls
echo "1..$n"
