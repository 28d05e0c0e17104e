#!/usr/bin/env bash
# The formats of a report, of a run that holds and of one that does not: JUnit XML and SARIF are valid by their schemas, annotations point at
# the line, the receipt and the step's summary hold what a reviewer asks for. Prints TAP; needs $HIPCONTRACT, $HIPCONTRACT_ROOT and $BUILD.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
kernel=rms_norm_rows
source=kernels/ds4/ds4.hip
cache=${HIPCONTRACT_CACHE:-$HIPCONTRACT_ROOT/build/cache}
schemas=$BUILD/schemas

# A Python that has jsonschema: the package's may not be the first in PATH.
for python in /usr/bin/python3 python3; do
    "$python" -c 'import jsonschema' 2>/dev/null && break
done

# run STATUS ARGUMENT...: hipcontract ends with that status; its output is in $work/out and $work/err.
run() { ends "$1" env HIPCONTRACT_CACHE="$cache" "$HIPCONTRACT" "${@:2}"; }
holds() { grep -qE -- "$2" "$1"; } # holds FILE EXPRESSION

is_junit() { xmllint --noout --schema "$schemas/junit.xsd" "$1" 2>"$work/err"; }
xpath() { xmllint --xpath "$2" "$1" 2>"$work/err"; } # xpath FILE EXPRESSION
is_sarif() {
    "$python" - "$1" "$schemas/sarif.json" 2>"$work/err" <<'PYTHON'
import json, sys
import jsonschema

document, schema = (json.load(open(path)) for path in sys.argv[1:])
jsonschema.validate(document, schema)
PYTHON
}
# The place of the first result, "FILE:LINE RULE LEVEL".
first_result() {
    "$python" - "$1" <<'PYTHON'
import json, sys

result = json.load(open(sys.argv[1]))["runs"][0]["results"][0]
place = result["locations"][0]["physicalLocation"]
print(f'{place["artifactLocation"]["uri"]}:{place["region"]["startLine"]} {result["ruleId"]} {result["level"]}')
PYTHON
}

schemas_are_there() { "$HIPCONTRACT_ROOT/scripts/schemas.sh" "$schemas" 2>"$work/err" && [ -s "$schemas/junit.xsd" ] && [ -s "$schemas/sarif.json" ]; }

# write NAME STATUS COMMAND...: all formats at once, under $work/NAME.*, the lines in $work/NAME.out
write() {
    local name=$1
    rm -f "$work/$name.summary"
    GITHUB_STEP_SUMMARY=$work/$name.summary run "$2" "${@:3}" --junit "$work/$name.xml" --sarif "$work/$name.sarif" --markdown "$work/$name.md" --github &&
        cp "$work/out" "$work/$name.out"
}
run_holds() { write green 0 contract --only "$kernel" --quick; }
green_is_valid() {
    is_junit "$work/green.xml" && is_sarif "$work/green.sarif" &&
        [ "$(xpath "$work/green.xml" 'string(/testsuites/@failures)')" = 0 ] && [ "$(xpath "$work/green.xml" 'string(/testsuites/@errors)')" = 0 ] &&
        [ "$(xpath "$work/green.xml" 'count(//testcase)')" = "$(xpath "$work/green.xml" 'string(/testsuites/@tests)')" ]
}
# A schema that took everything would prove nothing.
schemas_refuse() {
    sed 's/<testcase /<testkase /' "$work/green.xml" >"$work/spoilt.xml" && ! is_junit "$work/spoilt.xml" &&
        sed 's/"driver"/"drivers"/' "$work/green.sarif" >"$work/spoilt.sarif" && ! is_sarif "$work/spoilt.sarif"
}
green_receipt() {
    holds "$work/green.md" "^### hipcontract: the contract holds, of $kernel alone\$" && holds "$work/green.md" '^\| toolchain \| [a-z0-9-]+ \|$' &&
        holds "$work/green.md" "^\| gfx1151 \| 1 \| 1 \| 0 \| 0 \| " && holds "$work/green.md" "^\| $kernel \| gfx1151 \| .* \([a-z]+\) \| 0\.[0-9]+ \|$" &&
        cmp -s "$work/green.md" "$work/green.summary" && ! holds "$work/green.out" '^::'
}

# The kernel reads one row late, so the last row is past the end.
copy_and_edit() {
    copy_project "$work/copy" &&
        sed -i 's/const float \*row = x + (size_t)blockIdx.x \* n;/const float *row = x + ((size_t)blockIdx.x + 1) * n;/' "$work/copy/$source" &&
        ! cmp -s "$HIPCONTRACT_ROOT/$source" "$work/copy/$source"
}
run_is_red() { copy_and_edit && HIPCONTRACT_ROOT=$work/copy write red 1 gates --only "$kernel" --quick --log "$work/red.jsonl"; }
red_is_valid() { is_junit "$work/red.xml" && is_sarif "$work/red.sarif"; }
failure_says_all() {
    xpath "$work/red.xml" "string((//testcase[starts-with(@name, 'gate 3')]/failure)[1])" | head -n 1 >"$work/first"
    holds "$work/first" "^gate 3, $kernel, gfx1151, [0-9x]+ \([a-z]+\): ([0-9.e+]+|inf) times the bound, at most 1$"
}
result_is_at_the_line() { first_result "$work/red.sarif" | grep -qE "^kernels/(ds4/ds4\.hip|lanes\.h):[0-9]+ mem error$"; }
annotation_is_at_the_line() {
    [ "$(grep -c '^::error ' "$work/red.out")" -eq 1 ] && grep -qE "^::error file=kernels/(ds4/ds4\.hip|lanes\.h),line=[0-9]+,title=gate 1%2C $kernel%2C gfx1151%2C [^:]*::a finding of mem, at most none: " "$work/red.out"
}
red_receipt() {
    holds "$work/red.md" "^### hipcontract: the contract does not hold, [0-9]+ problems, of $kernel alone\$" && holds "$work/red.md" "^- gate 1, $kernel, gfx1151, .*: a finding of mem, at most none: the address is [0-9]+ bytes past input x " &&
        holds "$work/red.md" "^repeat with: hipcontract run $kernel --shape " && holds "$work/red.md" '^- and [0-9]+ more problems; the log has all$'
}
log_says_the_same() {
    run 1 report "$work/red.jsonl" --junit "$work/again.xml" --sarif "$work/again.sarif" --markdown "$work/again.md" &&
        cmp "$work/red.xml" "$work/again.xml" && cmp "$work/red.sarif" "$work/again.sarif" && cmp "$work/red.md" "$work/again.md"
}
killed_run_is_an_error() {
    sed '$d' "$work/red.jsonl" >"$work/killed.jsonl" && run 4 report "$work/killed.jsonl" --junit "$work/killed.xml" --sarif "$work/killed.sarif" --github &&
        is_junit "$work/killed.xml" && is_sarif "$work/killed.sarif" && [ "$(xpath "$work/killed.xml" "count(//testsuite[@name='run']/testcase/error)")" = 1 ] &&
        holds "$work/killed.sarif" '"executionSuccessful": false' && out_says '^::warning title=the run is not whole::'
}

check "the schemas are there" schemas_are_there
check "a run that holds writes all formats at once" run_holds
check "its JUnit XML and SARIF are valid, and every verdict is a test case" green_is_valid
check "the schemas refuse what is wrong" schemas_refuse
check "its receipt says so; so does the step's summary; nothing is annotated" green_receipt
check "a run that does not hold writes them too" run_is_red
check "its JUnit XML and SARIF are valid" red_is_valid
check "a failure begins with gate, kernel, chip, shape, figure and limit" failure_says_all
check "a SARIF result stands at the kernel's line" result_is_at_the_line
check "the kernel has one annotation, at a line of its source" annotation_is_at_the_line
check "its receipt shows the worst, how to repeat it, and counts the rest" red_receipt
check "the log gives the same files" log_says_the_same
check "a killed run is an error in each format" killed_run_is_an_error
echo "1..$n"
