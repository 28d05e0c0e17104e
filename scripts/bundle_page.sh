#!/usr/bin/env bash
# Bundles the page of the HTML report from reports/html/ and the packages of its lock file. Usage: scripts/bundle_page.sh OUT.html
# Where that cannot be it says so in one line and leaves an empty file: all else is built without the page.
set -uo pipefail

out=$1
folder=$(dirname "$out")
sources=reports/html
mkdir -p "$folder"

# Writes why not, and leaves nothing of a page.
give_up() {
    echo "note: the page of the HTML report is left out: $1; --html will say so" >&2
    if [ ! -f "$out" ] || [ -s "$out" ]; then
        : >"$out"
    fi
    exit 0
}

# The packages of the lock file, once for each lock file. They bring no scripts that have to run.
install_packages() {
    cmp -s "$sources/package-lock.json" "$folder/installed-lock.json" && return
    cp "$sources/package.json" "$sources/package-lock.json" "$folder/" &&
        (cd "$folder" && npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=1) >"$folder/npm.log" 2>&1 &&
        cp "$sources/package-lock.json" "$folder/installed-lock.json"
}

command -v node >/dev/null || give_up "there is no node (package nodejs)"
command -v npm >/dev/null || give_up "there is no npm (package npm)"
install_packages || give_up "npm cannot install its packages ($folder/npm.log)"
node "$sources/bundle.mjs" "$folder/node_modules" "$out" || give_up "it cannot be bundled"
