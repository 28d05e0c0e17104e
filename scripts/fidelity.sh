#!/usr/bin/env bash
# Makes docs/fidelity.md's tables anew from the results of all unit tests. Usage: scripts/fidelity.sh BUILD_DIRECTORY [VECTORS]
# (VECTORS: the folder of published vectors; without it what they showed last stands.) Stops at a test that fails, but for the one that
# holds the page against its sources.
set -euo pipefail

build=$1
vectors=${2:-}
notes=$build/evidence
rm -f "$notes"
export HIPCONTRACT_EVIDENCE=$PWD/$notes FIDELITY_IN_MAKING=1
UNIT_ONLY=1 scripts/run_tests.sh "$build"
if [ -n "$vectors" ]; then "$build/programs/conformance/conformance" "$vectors"; fi
unset HIPCONTRACT_EVIDENCE
"$build/programs/fidelity/fidelity" docs/fidelity.md tests/fidelity/evidence.txt "$notes"
