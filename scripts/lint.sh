#!/usr/bin/env bash
# Formatting, static checks, shell scripts, the include table. Usage: scripts/lint.sh (from `make lint`, which sets LLVM_CFLAGS)
set -uo pipefail

jobs=${JOBS:-2}
failed=0

say() {
    echo "lint: $*"
}

mapfile -t sources < <(git ls-files '*.c' '*.h')
say "formatting of ${#sources[@]} files"
clang-format-14 --dry-run -Werror "${sources[@]}" || { say "make format mends it"; failed=1; }

# Not the handlers (a few patterns expanded hundreds of times) and not the tests (cmocka's jumps mislead the analyser).
mapfile -t checked < <(git ls-files '*.c' ':!:device/emulator/ops/*' ':!:tests/*')
say "clang-tidy on ${#checked[@]} files"
check_some() {
    # shellcheck disable=SC2086,SC2317 # the flags are words; bash -c calls this
    clang-tidy-14 --quiet "$@" -- -std=gnu11 -I. -D_GNU_SOURCE -DWAVE_LANES=32 -DHC_LEVEL_v1 -DHC_LEVEL_v3 -DHOST_LEVEL=v1 ${LLVM_CFLAGS:-} 2>/dev/null
}
export -f check_some
# shellcheck disable=SC2016 # bash -c expands it
printf '%s\0' "${checked[@]}" | xargs -0 -P "$jobs" -n 8 bash -c 'check_some "$@"' _ || failed=1

mapfile -t scripts < <(git ls-files 'scripts/*.sh' 'tests/end_to_end/*.sh' 'tests/support/*.sh' .ci/run)
say "shellcheck on ${#scripts[@]} scripts"
shellcheck -x "${scripts[@]}" || failed=1

say "include table"
scripts/check_includes.sh || failed=1

[ "$failed" -eq 0 ] && say "clean"
exit "$failed"
