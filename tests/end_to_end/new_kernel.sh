#!/usr/bin/env bash
# `make new` in a copy of the tree: what it writes builds and passes as it is; then one edit at a time must turn the right gate red.
set -uo pipefail
cd "$HIPCONTRACT_ROOT" || exit 1

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp -p --parents -t "$copy"
mkdir "$copy/build"
cp -a "$BUILD/obj" "$BUILD/ops" "$BUILD/flags" "$copy/build/"
export HIPCONTRACT_ROOT=$copy HIPCONTRACT_CACHE=$BUILD/cache
cd "$copy" || exit 1
program=build/hipcontract

# check NAME COMMAND…: the command must succeed.
check() {
    local name=$1
    shift
    if "$@"; then echo "ok - $name"; else echo "not ok - $name"; fi
}

# ends STATUS WORDS COMMAND…: exit status, and words (a basic regular expression) in what it prints.
ends() {
    local status=$1 words=$2 said got
    shift 2
    said=$("$@" 2>&1)
    got=$?
    [ "$got" -eq "$status" ] && grep -q -- "$words" <<<"$said" && return 0
    echo "# exit status $got, not $status, or no \"$words\" in:"
    tail -n 20 <<<"$said" | sed 's/^/# /'
    return 1
}

unchanged() {
    [ -f kernels/demo/demo_scale.hip ] && [ "$(cat kernels/demo/demo_scale.hip kernels/demo/demo_scale.c controls/demo_scale.c | cksum)" = "$written" ]
}

check "make new writes a kernel that builds and gets its records" \
    ends 0 "LIMIT gfx1151 demo_scale  record written" make new BUILD=build FAMILY=demo KERNEL=demo_scale
written=$(cat kernels/demo/demo_scale.hip kernels/demo/demo_scale.c controls/demo_scale.c | cksum)
check "it passes every gate as it is, and its control is red" \
    ends 0 "SUMMARY gfx1151 1 kernels: 1 pass gates 1-4, 0 fail, 0 known findings; 1 controls: 1 red as planted, 0 missed; 0 limit" \
    $program contract --only demo_scale
check "it is formatted as the tree is" clang-format-14 --dry-run -Werror kernels/demo/demo_scale.c controls/demo_scale.c

check "a kernel that exists is not overwritten" \
    ends 2 "kernels/demo/demo_scale.hip exists" make new BUILD=build FAMILY=demo KERNEL=demo_scale
check "nor is one of another family" ends 2 "controls/demo_scale.c exists" make new BUILD=build FAMILY=other KERNEL=demo_scale
check "nor one that is registered elsewhere" ends 2 "registered already" make new BUILD=build FAMILY=demo KERNEL=softmax_rows
check "names that are none are refused" ends 2 "is no name" make new BUILD=build FAMILY=../x KERNEL=demo
check "no name at all is refused" ends 2 "give a family and a kernel" make new BUILD=build
check "and nothing was changed" unchanged

sed -i 's/scale \* part\[0\]/1.0001f * scale * part[0]/' kernels/demo/demo_scale.hip
check "a constant edited in the kernel's body is red at gate 3" \
    ends 1 "^FAIL  gfx1151 demo_scale  gate 3" $program gates --only demo_scale
sed -i 's/1.0001f \* //' kernels/demo/demo_scale.hip

sed -i 's/half \/= 2/half \/= 4/' kernels/demo/demo_scale.hip
check "a lost round of the sum is red" ends 1 "^FAIL  gfx1151 demo_scale" $program gates --only demo_scale
sed -i 's/half \/= 4/half \/= 2/' kernels/demo/demo_scale.hip
check "put back, it passes again" ends 0 "1 pass gates 1-4, 0 fail" $program gates --only demo_scale

records=records/debian-clang-22/demo.txt
sed -i -E '/gfx1151/s/( 64 +32 +)([0-9]+)/\11\2/' $records
check "a number changed in records/ is red at gate 5" ends 1 "record stale: code 1" $program contract --only demo_scale
sed -i '/gfx1151/s/gfx1151 /gfx1151 x/' $records
check "a malformed record is wrong usage, with file and line" ends 2 "demo.txt:5: 17 columns, a record has 16" $program limits --only demo_scale
rm $records
check "a missing record is red" ends 1 "LIMIT gfx1151 demo_scale  record missing" $program limits --only demo_scale --chip gfx1151
check "limits --update writes it again" ends 0 "1 record files written" $program limits --only demo_scale --update
sed -i 's/__launch_bounds__(threads)/__launch_bounds__(256)/' kernels/demo/demo_scale.hip
check "a launch of fewer threads than the compiled bound is a limit problem" \
    ends 1 "launched at 64 threads where the compiled bound is 256" $program limits --only demo_scale --chip gfx1151
sed -i 's/__launch_bounds__(256)/__launch_bounds__(32)/' kernels/demo/demo_scale.hip
check "so is one of more" ends 1 "64 threads, bound 32" $program limits --only demo_scale --chip gfx1151
sed -i 's/float sum = 0;/float sum = nothing;/' kernels/demo/demo_scale.hip
check "a kernel that does not compile is shown as the compiler says, with family and chip" \
    ends 1 "family demo for gfx1151 does not compile: .*undeclared identifier 'nothing'" $program limits --only demo_scale --chip gfx1151
check "without a compiler the exit status is 3, with the command that installs one" \
    ends 3 "apt-get install clang-22" env HIPCONTRACT_CLANG=/nowhere/clang $program limits --only demo_scale
