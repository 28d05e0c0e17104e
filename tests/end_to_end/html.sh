#!/usr/bin/env bash
# The HTML report of a real run on two chips with a kernel that was broken on purpose, in headless Chromium. Prints TAP; needs $HIPCONTRACT,
# $HIPCONTRACT_ROOT and $BUILD, where it leaves the report and its screenshots (html-report/).
set -uo pipefail
cd "$HIPCONTRACT_ROOT" || exit 1

# shellcheck source=tests/support/checks.sh
. tests/support/checks.sh
shown=$BUILD/html-report
packages=build/browser
cache=${HIPCONTRACT_CACHE:-$HIPCONTRACT_ROOT/build/cache}
rm -rf "$shown"
mkdir -p "$shown" "$packages"

# A copy of what a run reads, where each sum of softmax is 1/1024 too large.
broken_project() {
    copy_project "$work/copy"
    sed -i "$1" "$work/copy/kernels/softmax/softmax.hip"
    ! cmp -s kernels/softmax/softmax.hip "$work/copy/kernels/softmax/softmax.hip"
}

install_packages() {
    cmp -s tests/browser/package-lock.json "$packages/installed-lock.json" && return
    cp tests/browser/package.json tests/browser/package-lock.json "$packages/"
    (cd "$packages" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline) >"$work/out" 2>"$work/err" &&
        cp tests/browser/package-lock.json "$packages/installed-lock.json"
}

a_run_before() { ends 0 "$HIPCONTRACT" contract --quick --chip gfx1151 --only softmax_rows --db "$work/h.db"; }
makes_a_report() {
    ends 1 env HIPCONTRACT_CACHE="$cache" HIPCONTRACT_ROOT="$work/copy" "$HIPCONTRACT" contract --quick --chip gfx1151,gfx90a --only rms_norm_rows \
        --only softmax_rows --db "$work/h.db" --log "$work/run.jsonl" --html "$shown/run.html" && [ -s "$shown/run.html" ]
}
# But for what the history told.
without_past() { sed -E 's/"past":\{[^}]*\},//g' "$1"; }
same_report_from_the_log() {
    ends 1 "$HIPCONTRACT" report "$work/run.jsonl" --html "$work/again.html" && cmp <(without_past "$shown/run.html") "$work/again.html"
}
# Without the registry of packages the page is left out in one line, and is made again once it can be.
page_is_optional() {
    mkdir "$work/bin"
    printf '#!/bin/sh\nexit 1\n' >"$work/bin/npm"
    chmod +x "$work/bin/npm"
    ends 0 env PATH="$work/bin:$PATH" scripts/bundle_page.sh "$work/page/page.html" && [ -f "$work/page/page.html" ] && [ ! -s "$work/page/page.html" ] &&
        [ "$(wc -l <"$work/err")" -eq 1 ] && grep -q 'the page of the HTML report is left out: npm cannot install' "$work/err" &&
        ends 0 scripts/bundle_page.sh "$work/page/page.html" && cmp "$work/page/page.html" build/html/page.html
}
loads_nothing() { ! grep -aE '(src|href)="https?:' "$shown/run.html" >"$work/out"; }

look() { node tests/browser/report.mjs "$packages/node_modules" "$shown/run.html" "$shown"; }

# Its tests have no plan of their own here.
run_look() {
    look >"$work/look" 2>&1
    sed -E "s/^(not )?ok [0-9]+ - /\1ok - /; /^1\.\./d" "$work/look"
    grep -q '^1\.\.' "$work/look" || echo "not ok - the browser's tests run to their end"
}

check "a kernel is broken" broken_project 's|inverse = 1.0f / r.sum|inverse = 1.001f / r.sum|'
check "an earlier run is recorded" a_run_before
check "a run writes the report" makes_a_report
check "the log gives the same report" same_report_from_the_log
check "it is one file" loads_nothing
check "a build goes on without the page" page_is_optional
check "the browser's packages are installed" install_packages
run_look
