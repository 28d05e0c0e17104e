#!/usr/bin/env bash
# The check of the table of folders finds an include that breaks it, and passes the tree as it is.
set -uo pipefail
cd "$HIPCONTRACT_ROOT" || exit 1

copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# breaks NAME FILE LINE WORDS: a file with that one include must be refused with those words.
breaks() {
    local said
    mkdir -p "$copy/$(dirname "$2")"
    echo "$3" >"$copy/$2"
    if ! said=$(cd "$copy" && echo "$2" | "$HIPCONTRACT_ROOT/scripts/check_includes.sh" --stdin 2>&1) &&
        grep -q -- "$4" <<<"$said"; then
        echo "ok - $1"
    else
        echo "# $said"
        echo "not ok - $1"
    fi
}

if scripts/check_includes.sh; then echo "ok - the tree keeps its table"; else echo "not ok - the tree keeps its table"; fi
breaks "a reference sees no device" reference/x.c '#include "device/hip_api.h"' "reference/x.c:1: reference/ may not include device/hip_api.h"
breaks "a device sees no gate" device/emulator/x.c '#include "contract/gates.h"' "device/ may not include contract/gates.h"
breaks "a kernel sees no device" kernels/a/x.c '#include "device/device.h"' "kernels/ may not include"
breaks "a record knows no kernel" records/x.c '#include "contract/registry.h"' "records/ may not include"
breaks "a writer sees no gate" reports/x.c '#include "contract/gates.h"' "reports/ may not include"
breaks "only the audit uses MPFR" reference/x.c '#include <mpfr.h>' "may include mpfr.h"
breaks "only the decoder and the assembler use LLVM" device/emulator/x.c '#include <llvm-c/Core.h>' "may include llvm-c/Core.h"
