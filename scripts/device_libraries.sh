#!/usr/bin/env bash
# All functions of ROCm's device libraries as one code object.
# Usage: scripts/device_libraries.sh CHIP ISA_VERSION WAVE_SIZE LEVEL OUTPUT.co (LEVEL: 0, 2 or 3)
# Left out, as no compiler can emit them alone: f64 "native" functions, which LLVM has no instructions for; image functions; functions
# over a workgroup (__ockl_wgred_*, __ockl_wgscan_*), whose LDS needs a kernel around it; on gfx12 the global wave sync, which it lacks.
set -euo pipefail

chip=$1 isa_version=$2 wave=$3 level=$4 output=$5
left_out='native_[a-z0-9]*_f64|__ockl_image|__ockl_wg(red|scan)|__get_scratch_lds'
if [[ $chip == gfx12* ]]; then left_out+='|__ockl_gws|__ockl_(multi_)?grid_sync'; fi
if [ "$wave" = 64 ] && [[ $chip == gfx1* ]]; then features=-mattr=+wavefrontsize64; else features=; fi
if [ "$wave" = 64 ]; then wave64=on; else wave64=off; fi

folder=
for candidate in /usr/lib/*/amdgcn/bitcode /usr/lib/amdgcn/bitcode /opt/rocm*/amdgcn/bitcode; do
    [ -f "$candidate/ocml.bc" ] && folder=$candidate && break
done
[ -n "$folder" ] || { echo "$0: no device libraries; apt-get install rocm-device-libs" >&2; exit 3; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# The linker drops linkonce functions that nobody calls.
for library in ocml ockl; do
    llvm-dis-22 <"$folder/$library.bc" | sed -E "/$left_out/!s/^(define .*)linkonce_odr/\\1weak_odr/" |
        llvm-as-22 -o "$work/$library.bc"
done
cat >"$work/isa.ll" <<END
target triple = "amdgcn-amd-amdhsa"
@__oclc_ISA_version = weak_odr hidden local_unnamed_addr addrspace(4) constant i32 $isa_version, align 4
END
llvm-link-22 "$work/ocml.bc" "$work/ockl.bc" "$work/isa.ll" "$folder/oclc_abi_version_500.bc" \
    "$folder/oclc_correctly_rounded_sqrt_on.bc" "$folder/oclc_daz_opt_off.bc" "$folder/oclc_finite_only_off.bc" \
    "$folder/oclc_unsafe_math_off.bc" "$folder/oclc_wavefrontsize64_$wave64.bc" -o "$work/all.bc" 2>"$work/messages" ||
    { cat "$work/messages" >&2; exit 1; }
# Functions hold code for every chip and choose by __oclc_ISA_version: that is folded at every level.
llvm-nm-22 --defined-only --format=just-symbols "$work/all.bc" | grep -v __oclc >"$work/kept"
passes='internalize,ipsccp,function(sccp,simplifycfg)'
if [ "$level" != 0 ]; then passes="internalize,default<O$level>"; fi
# shellcheck disable=SC2086 # no features is no word
opt-22 -mtriple=amdgcn-amd-amdhsa -mcpu="$chip" $features -internalize-public-api-file="$work/kept" -passes="$passes" \
    "$work/all.bc" -o "$work/optimised.bc"
# shellcheck disable=SC2086
llc-22 -O"$level" -mtriple=amdgcn-amd-amdhsa -mcpu="$chip" $features -filetype=obj "$work/optimised.bc" -o "$work/all.o" \
    2>"$work/messages" || { grep -m 5 -E 'error|ERROR' "$work/messages" >&2; exit 1; }
ld.lld-22 -shared --unresolved-symbols=ignore-all "$work/all.o" -o "$work/all.co"
mv "$work/all.co" "$output"
