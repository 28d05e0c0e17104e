#!/usr/bin/env bash
# Installs what is missing, or says what is. Usage: scripts/deps.sh build|page|test|audit|lint|clang|fuzz [LLVM_VERSION]
# Quiet and quick when nothing is missing: one dpkg-query. Its test sets DEPS_ROOT, a folder in place of / for the probes.
set -euo pipefail

group=${1:-build}
llvm=${2:-22}

# package | file that shows it, where there is no dpkg | why
build_table="
gcc|/usr/bin/gcc|host compiler
libc6-dev|/usr/include/stdio.h|C library headers
git|/usr/bin/git|names the commit in run logs, gives what was committed at a revision
clang-22|/usr/bin/clang-22|compiles the HIP kernels
lld-22|/usr/lib/llvm-22/bin/ld.lld|links code objects
rocm-device-libs|/usr/lib/x86_64-linux-gnu/amdgcn/bitcode/ocml.bc|device libraries that kernels link
libamdhip64-dev|/usr/include/hip/hip_runtime.h|HIP headers, and the HIP runtime for real GPUs
llvm-$llvm-dev|/usr/lib/llvm-$llvm/include/llvm-c/Disassembler.h|disassembler library of the emulator
llvm-22|/usr/bin/llvm-readelf-22|second opinion on code objects in tests
libmpfr-dev|/usr/include/mpfr.h|audit of the references
libgmp-dev|/usr/include/x86_64-linux-gnu/gmp.h|MPFR needs it
libxxhash-dev|/usr/include/xxhash.h|hashes
libjansson-dev|/usr/include/jansson.h|run logs, headers of safetensors files
libsqlite3-dev|/usr/include/sqlite3.h|history of runs
libelf-dev|/usr/include/libelf.h|code objects
libdw-dev|/usr/include/elfutils/libdw.h|source lines of findings
libmsgpack-dev|/usr/include/msgpack.h|metadata of code objects
libopenblas-dev|/usr/include/x86_64-linux-gnu/cblas.h|peer of the reference in benchmarks
libcmocka-dev|/usr/include/cmocka.h|unit tests
clang-format-14|/usr/bin/clang-format-14|formatting; a test holds what make new writes to it
"
page_table="
nodejs|/usr/bin/node|bundles the page of the HTML report
npm|/usr/bin/npm|brings the packages that are bundled
"
test_table="
chromium|/usr/bin/chromium|looks at the HTML report
fonts-dejavu-core|/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf|letters of its screenshots
libxml2-utils|/usr/bin/xmllint|holds JUnit XML to its schema
python3-jsonschema|/usr/lib/python3/dist-packages/jsonschema/__init__.py|holds SARIF to its schema
npm|/usr/bin/npm|brings the two schemas
slurmctld|/usr/sbin/slurmctld|a Slurm of one node for hipcontract slurm
slurmd|/usr/sbin/slurmd|its node
munge|/usr/sbin/munged|its authentication
slurm-client|/usr/bin/sbatch|its commands
"
lint_table="
clang-tidy-14|/usr/bin/clang-tidy-14|static checks
shellcheck|/usr/bin/shellcheck|static checks of scripts
"
audit_table="
clang-15|/usr/lib/llvm-15/bin/clang|compiler of the audit
lld-15|/usr/lib/llvm-15/bin/ld.lld|links its code objects
clang-16|/usr/lib/llvm-16/bin/clang|compiler of the audit
lld-16|/usr/lib/llvm-16/bin/ld.lld|links its code objects
clang-19|/usr/lib/llvm-19/bin/clang|compiler of the audit
lld-19|/usr/lib/llvm-19/bin/ld.lld|links its code objects
"
fuzz_table="
clang-22|/usr/bin/clang-22|compiles the fuzz targets
libclang-rt-22-dev|/usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.fuzzer-x86_64.a|libFuzzer and sanitizers
"
clang_table="
clang-14|/usr/bin/clang-14|second host compiler
"
case $group in
build) table=$build_table ;;
page) table=$page_table ;;
test) table=$test_table ;;
audit) table=$audit_table ;;
lint) table=$lint_table ;;
clang) table=$clang_table ;;
fuzz) table=$fuzz_table ;;
*) echo "scripts/deps.sh: no group $group; build, page, test, audit, lint, clang or fuzz" >&2; exit 2 ;;
esac

packages=() probes=() reasons=()
while IFS='|' read -r package probe reason; do
    [ -n "$package" ] || continue
    packages+=("$package") probes+=("$probe") reasons+=("$reason")
done <<<"$table"

# Fills missing with indices of rows.
find_missing() {
    missing=()
    local installed=" " i
    if command -v dpkg-query >/dev/null; then
        installed=" $(dpkg-query -W -f='${Package}:${db:Status-Status} ' "${packages[@]}" 2>/dev/null || true) "
    fi
    for i in "${!packages[@]}"; do
        case $installed in
        *" ${packages[i]}:installed "*) continue ;;
        esac
        # Installed by other means counts too.
        [ -e "${DEPS_ROOT:-}${probes[i]}" ] || missing+=("$i")
    done
}

find_missing
[ ${#missing[@]} -eq 0 ] && exit 0
# The build does without the page, and says so in a line of its own where it is left out.
[ "$group" = page ] && { ! command -v apt-get >/dev/null || [ "$(id -u)" -ne 0 ]; } && exit 3

names=()
for i in "${missing[@]}"; do
    names+=("${packages[i]}")
    echo "missing: ${packages[i]} (${reasons[i]})" >&2
done

if ! command -v apt-get >/dev/null; then
    echo "make deps: this is not Debian or Ubuntu; install what the packages above provide, then run make again" >&2
    exit 3
fi
if [ "$(id -u)" -ne 0 ]; then
    echo "make deps: as root, run: apt-get install ${names[*]}" >&2
    exit 3
fi
echo "installing: ${names[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
apt-get update -qq
apt-get install -y -qq --no-install-recommends "${names[@]}" >&2
find_missing
if [ ${#missing[@]} -ne 0 ]; then
    for i in "${missing[@]}"; do
        echo "still missing after installation: ${packages[i]} (${reasons[i]})" >&2
    done
    exit 3
fi
