#!/usr/bin/env bash
# make deps: silent when nothing is missing; else it installs as root, or names each package with the command, and stops.
set -uo pipefail
cd "$HIPCONTRACT_ROOT" || exit 1

fake=$(mktemp -d)
trap 'rm -rf "$fake"' EXIT
export FAKE=$fake DEPS_ROOT=$fake/empty

# Stand-ins: a package database in $FAKE/installed, an apt-get that adds to it, and a user number in $FAKE/user.
cat >"$fake/dpkg-query" <<'EOF'
#!/bin/sh
shift 2
for package in "$@"; do
    grep -qx "$package" "$FAKE/installed" && printf '%s:installed ' "$package"
done
exit 1
EOF
cat >"$fake/apt-get" <<'EOF'
#!/bin/sh
echo "$*" >>"$FAKE/calls"
[ "$1" = install ] && [ ! -e "$FAKE/broken" ] && printf '%s\n' "$@" >>"$FAKE/installed"
exit 0
EOF
cat >"$fake/id" <<'EOF'
#!/bin/sh
cat "$FAKE/user"
EOF
chmod +x "$fake/dpkg-query" "$fake/apt-get" "$fake/id"

# given USER PACKAGES-LEFT-OUT: the state before a run.
given() {
    echo "$1" >"$fake/user"
    rm -f "$fake/calls" "$fake/broken"
    # shellcheck disable=SC2016 # the script's own $llvm
    sed -n '/^build_table="/,/^"/p' scripts/deps.sh | grep '|' | cut -d'|' -f1 | sed 's/\$llvm/22/' | grep -vE "^($2)$" >"$fake/installed"
}

# run STATUS WORDS [GROUP]: runs it; the exit status must be that, and its output hold the words ("" for no output at all).
run() {
    local said got
    said=$(PATH=$fake:$PATH scripts/deps.sh "${3:-build}" 22 2>&1)
    got=$?
    [ "$got" -eq "$1" ] && if [ -n "$2" ]; then grep -q -- "$2" <<<"$said"; else [ -z "$said" ]; fi && return 0
    echo "# exit status $got, not $1, or no \"$2\" in: $said"
    return 1
}

check() {
    local name=$1
    shift
    if "$@"; then echo "ok - $name"; else echo "not ok - $name"; fi
}

called() {
    [ "$(cat "$fake/calls" 2>/dev/null)" = "$1" ]
}

given 0 none
check "nothing missing: silent" run 0 ""
check "and nothing is asked of apt-get" called ""

given 1000 'clang-22|lld-22'
check "not root: stops with the command" run 3 "as root, run: apt-get install clang-22 lld-22"
check "and installs nothing" called ""

given 1000 'nodejs|npm'
check "not root: all but the page of the HTML report is built without node and npm" run 0 ""
check "not root: the page is done without, silently" run 3 "" page

given 0 none
check "root: the page's packages are installed" run 0 "missing: npm" page
check "both, after one update" called "update -qq
install -y -qq --no-install-recommends nodejs npm"

given 0 'clang-22|libmpfr-dev'
check "root: installs what is missing" run 0 "missing: libmpfr-dev (audit of the references)"
check "exactly that, after one update" called "update -qq
install -y -qq --no-install-recommends clang-22 libmpfr-dev"
check "and the next run is silent" run 0 ""

given 0 'libelf-dev'
touch "$fake/broken"
check "an installation that does not help is told" run 3 "still missing after installation: libelf-dev"

given 0 'libelf-dev'
mkdir -p "$fake/empty/usr/include"
touch "$fake/empty/usr/include/libelf.h"
check "a library that came by other means counts" run 0 ""
