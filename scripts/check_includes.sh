#!/usr/bin/env bash
# Holds every source to the table of folders: which folder may include what (docs/architecture.md). Usage: scripts/check_includes.sh
# Files given on standard input with --stdin are checked instead of the tree's (for its test).
set -euo pipefail
export LC_ALL=C

# folder | what its files may include of the project (an extended regular expression on the path)
rules='
contract/base/|contract/base/.*
contract/|contract/.*|reference/.*|device/(hip_api|device)\.h|records/record_file\.h
reference/|contract/base/.*|reference/.*
kernels/|contract/registry\.h|contract/base/.*|reference/.*|kernels/.*|device/hip_api\.h
controls/|contract/registry\.h|contract/base/.*|kernels/.*
records/|contract/base/.*|device/code_object\.h|records/.*
toolchain/|contract/base/.*|toolchain/.*
device/|contract/base/.*|records/chips\.h|device/.*
reports/|contract/(verdict|counts|version)\.h|mutation/score\.h|contract/base/.*|records/(record_file|audit_diff)\.h|reports/.*
mutation/|contract/.*|device/.*|records/chips\.h|mutation/.*
commands/|.*
tests/|.*
'
# library header | the only files that may include it
libraries='
mpfr\.h|reference/audit\.c|tests/.*
llvm-c/.*|device/emulator/(assemble|decode)\.c
libelf\.h|device/code_(lines|object|relocation)\.[ch]
elfutils/libdw\.h|device/code_lines\.c
dwarf\.h|device/code_lines\.c
gelf\.h|device/code_(object|relocation)\.c
msgpack\.h|device/code_metadata\.c
xxhash\.h|contract/base/(hash|random)\.c
sqlite3\.h|reports/(database|history).*|tests/.*
jansson\.h|reference/safetensors\.c|reports/.*|commands/.*|tests/.*
'

if [ "${1:-}" = --stdin ]; then
    mapfile -t files
else
    mapfile -t files < <(git ls-files '*.c' '*.h' '*.hip')
fi

# "file:line:kind path", kind q for quotes and a for angle brackets
list_includes() {
    grep -nHE '^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]' "${files[@]}" |
        sed -nE 's/^([^:]+:[0-9]+):[^"<]*(["<])([^">]+)[">].*/\1 \2 \3/p'
}

# Tests read the table from the environment of awk: one pass, first matching folder wins.
list_includes | RULES=$rules LIBRARIES=$libraries awk '
function allowed_path(text, patterns) { return text ~ ("^(" patterns ")$") }
function rest(line) { return substr(line, index(line, "|") + 1) }
BEGIN {
    n_rules = split(ENVIRON["RULES"], rule, "\n")
    n_libraries = split(ENVIRON["LIBRARIES"], library, "\n")
}
{
    file = $1; sub(/:[0-9]+$/, "", file)
    path = $3
    if ($2 == "\"") {
        # Relative to the including file where it names no folder of the project.
        for (i = 1; i <= n_rules; i++) {
            if (rule[i] == "") continue
            folder = substr(rule[i], 1, index(rule[i], "|") - 1)
            if (index(file, folder) != 1) continue
            own = path !~ /\// || path ~ /^\.\.\//
            if (!own && !allowed_path(path, rest(rule[i]))) {
                print $1 ": " folder " may not include " path
                bad = 1
            }
            break
        }
    }
    for (i = 1; i <= n_libraries; i++) {
        if (library[i] == "") continue
        header = substr(library[i], 1, index(library[i], "|") - 1)
        if (path ~ ("^" header "$") && !allowed_path(file, rest(library[i]))) {
            print $1 ": only " rest(library[i]) " may include " path
            bad = 1
        }
    }
}
END { exit bad }
'
