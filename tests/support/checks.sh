# What the end-to-end scripts share, sourced by them: a scratch folder $work, TAP lines, and commands that must end with a status.
# shellcheck shell=bash

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
n=0

# check NAME COMMAND...: one test, which passes where the command does.
check() {
    local name=$1
    shift
    n=$((n + 1))
    if "$@"; then
        echo "ok $n - $name"
    else
        echo "not ok $n - $name"
        sed 's/^/  out: /' "$work/out" | tail -n 15
        sed 's/^/  err: /' "$work/err" | tail -n 15
    fi
}

# ends STATUS COMMAND...: it ends with that status; its output is in $work/out and $work/err.
ends() {
    local expected=$1 status
    shift
    "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    [ "$status" -eq "$expected" ] || {
        echo "  status $status instead of $expected: $*"
        return 1
    }
}

out_says() { grep -qE -- "$1" "$work/out"; }
err_says() { grep -qE -- "$1" "$work/err"; }
one_error_line() { [ "$(wc -l <"$work/err")" -eq 1 ]; }

# copy_project FOLDER: the project's kernels and records there, to be edited.
copy_project() { mkdir "$1" && cp -r "$HIPCONTRACT_ROOT/kernels" "$HIPCONTRACT_ROOT/records" "$1/"; }

# copy_as_repository FOLDER: the same, committed once.
copy_as_repository() {
    copy_project "$1"
    git -C "$1" init --quiet
    git -C "$1" add --all
    git -C "$1" -c user.name=a -c user.email=a@example.org commit --quiet --message=first
}
