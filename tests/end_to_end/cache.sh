#!/usr/bin/env bash
# The compile cache from the command line: runs that share it, that find it damaged, full or closed; and list, verify and prune.
# Prints TAP; needs $HIPCONTRACT and $HIPCONTRACT_ROOT.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
export HIPCONTRACT_CACHE=$work/cache
kernel=softmax_rows
chip=gfx1151

# run STATUS ARGUMENT...: hipcontract ends with that status; its output is in $work/out and $work/err.
run() { ends "$1" "$HIPCONTRACT" "${@:2}"; }

err_lines() { [ "$(wc -l <"$work/err")" -eq "$1" ]; }
limits() { run 0 limits --only $kernel --chip $chip; }
compiles() { limits && out_says '; 1 code objects compiled, 0 from the cache'; }
takes_it() { limits && err_lines 0 && out_says '; 0 code objects compiled, 1 from the cache'; }
# The entry of the kernel's code object; beside it are the module that is linked into it, the files of the source, and the headers among them.
entry() { "$HIPCONTRACT" cache list | awk -v kernel=$kernel '$6 == kernel {print $1 ".entry"}'; }
n_entries() { [ "$(find "$work/cache" -name '*.entry' | wc -l)" -eq "$1" ] && [ "$(find "$work/cache" -type f | wc -l)" -eq "$1" ]; }
damage() { printf 'damage' | dd of="$work/cache/$1" bs=1 seek=1000 conv=notrunc status=none; }

cache_help() { run 0 cache --help && out_says '^usage: hipcontract cache list\|verify\|prune'; }
no_folder() { for a in list verify prune; do run 2 cache $a && err_lines 1 && err_says "$work/cache: No such file or directory; " || return 1; done; }
wrong_usage() {
    run 2 cache && err_says 'give one of list, verify, prune' &&
        run 2 cache clear && err_says 'give one of list, verify, prune' &&
        run 2 cache list prune && err_says 'give one of list, verify, prune' &&
        run 2 cache verify --dry-run && err_says '\-\-dry-run is of prune; leave it out with verify' &&
        run 2 cache prune --max-size -1 && err_says '\-\-max-size -1: give a number from 0' &&
        run 2 cache prune --older-than && err_says 'needs a value' && err_lines 1
}
eight_at_once() {
    local i pids=() status=0
    for i in 1 2 3 4 5 6 7 8; do
        "$HIPCONTRACT" limits --only $kernel --chip $chip >"$work/out$i" 2>&1 </dev/null &
        pids+=($!)
    done
    for i in "${pids[@]}"; do wait "$i" || status=1; done
    cat "$work"/out[1-8] >"$work/out"
    [ $status -eq 0 ] && n_entries 4 && run 0 cache verify && out_says '^4 entries, .*: 0 damaged$' && takes_it
}
lists() {
    run 0 cache list && out_says '^KEY +BYTES +USED +CHIP +KERNELS$' && out_says "^[0-9a-f]{32} +[0-9]+ 2.{15} $chip +$kernel" &&
        out_says '^[0-9a-f]{32} .* -  +a module that is linked into code objects$' && out_says "^4 entries, 0\.[0-9] MiB in $work/cache$"
}
lists_folder() { (cd "$work" && unset HIPCONTRACT_CACHE && run 0 cache list --directory cache && out_says '^4 entries, .* in cache$'); }
verifies() {
    damage "$hurt" && run 1 cache verify && out_says "^$work/cache/$hurt: damaged; " && out_says ': 1 damaged$' &&
        run 0 cache list && out_says "^${hurt%.entry} .* damaged$"
}
run_heals() { compiles && err_lines 1 && err_says "^$work/cache/$hurt: damaged cache entry; family softmax is compiled for $chip anew$" && run 0 cache verify && takes_it; }
truncated_heals() { truncate -s 5000 "$work/cache/$hurt" && run 1 cache verify && compiles && err_lines 1 && err_says 'damaged cache entry' && run 0 cache verify; }
prunes_damaged() {
    damage "$hurt" && run 0 cache prune --dry-run && out_says "^would remove $hurt: damaged, " && out_says ': 1 of them, .* would be removed$' && n_entries 4 &&
        run 0 cache prune && out_says "^removed $hurt: damaged, " && n_entries 3 && run 0 cache verify && compiles && err_lines 0
}
unreadable() {
    mv "$work/cache/$hurt" "$work/kept" && mkdir "$work/cache/$hurt" && run 2 cache verify && err_lines 1 && err_says "$hurt: cannot be read" &&
        out_says ': 0 damaged$' && run 0 cache prune --max-size 0 --dry-run && ! out_says "would remove $hurt" && run 0 cache list && out_says 'cannot be read$' &&
        rmdir "$work/cache/$hurt" && mv "$work/kept" "$work/cache/$hurt"
}
keeps_recent() { run 0 cache prune && out_says '^4 entries, .*: 0 of them, 0.0 MiB, removed$' && n_entries 4; }
prunes_old() { touch -d '10 days ago' "$work/cache/$hurt" && run 0 cache prune --older-than 11 && n_entries 4 &&
    run 0 cache prune --older-than 10 && out_says "^removed $hurt: not used lately, " && n_entries 3 && compiles; }
use_counts() { touch -d '10 days ago' "$work/cache/$hurt" && takes_it && run 0 cache prune --older-than 10 && n_entries 4; }
prunes_to_size() { run 0 cache prune --max-size 1 && n_entries 4 && run 0 cache prune --max-size 0 && out_says "^removed $hurt: over the size, " && n_entries 0; }
others_stay() { compiles && touch -d '99 days ago' "$work/cache/notes.txt" && run 0 cache prune --older-than 0 && [ -e "$work/cache/notes.txt" ] &&
    rm "$work/cache/notes.txt" && n_entries 0; }
closed() {
    : >"$work/file"
    HIPCONTRACT_CACHE=$work/file/cache compiles && err_lines 1 &&
        err_says "^$work/file: cannot make the directory: Not a directory; the run goes on and keeps no more"
}

# A file system of 64 KiB of its own, which is full but for 8 KiB; the list of headers, which comes first, needs more.
may_mount() { unshare -rm mount -t tmpfs -o size=64k none /mnt 2>"$work/err"; }
full() {
    mkdir -p "$work/small"
    # shellcheck disable=SC2016 # the shell of the namespace expands it
    HIPCONTRACT_CACHE=$work/small unshare -rm bash -c 'mount -t tmpfs -o size=64k none "$HIPCONTRACT_CACHE" &&
        head -c 57344 /dev/zero >"$HIPCONTRACT_CACHE/other" && "$@" && [ "$(ls "$HIPCONTRACT_CACHE")" = other ]' _ "$HIPCONTRACT" limits --only $kernel --chip $chip >"$work/out" 2>"$work/err" &&
        out_says '; 1 code objects compiled' && err_lines 1 &&
        err_says "^$work/small/[0-9a-f]{32}\.entry: cannot be written: No space left on device; the run goes on and keeps no more"
}
read_only() {
    # shellcheck disable=SC2016 # likewise
    HIPCONTRACT_CACHE=$work/cache unshare -rm bash -c 'mount --bind "$HIPCONTRACT_CACHE" "$HIPCONTRACT_CACHE" &&
        mount -o remount,bind,ro "$HIPCONTRACT_CACHE" && "$@"' _ "$HIPCONTRACT" limits --only $kernel --chip $chip >"$work/out" 2>"$work/err" &&
        err_lines "$1" && out_says "$2"
}
empty_read_only() { read_only 1 '; 1 code objects compiled' && err_says 'cannot be written: Read-only file system; the run goes on'; }
known_read_only() { compiles && read_only 0 '; 0 code objects compiled, 1 from the cache'; }
check_mounted() {
    local name=$1
    if may_mount; then
        check "$@"
    else
        n=$((n + 1))
        echo "ok $n - $name # SKIP no file system can be mounted here: $(head -n 1 "$work/err")"
    fi
}

check "cache --help shows the usage" cache_help
check "a folder that is not there is wrong usage, as it may be misspelt" no_folder
check "wrong usage is one line" wrong_usage
check "eight runs at once that compile the same leave one whole entry" eight_at_once
check "list names each one's chip and kernels" lists
check "list takes another folder" lists_folder
hurt=$(entry)
check "verify ends with 1 where an entry is damaged" verifies
check "a run compiles a damaged entry anew, and says so" run_heals
check "and one that was cut short" truncated_heals
check "prune removes a damaged entry, and with --dry-run only says so" prunes_damaged
check "what cannot be read is no damage: verify ends with 2, prune keeps it" unreadable
check "prune keeps what was used lately" keeps_recent
check "prune removes what was not used for long" prunes_old
check "a run that takes an entry from the cache uses it" use_counts
check "prune keeps no more than it is told to" prunes_to_size
check "files of other names stay" others_stay
check "a cache that cannot be made costs one line" closed
check_mounted "a full disk costs one line, and leaves no part of an entry" full
check_mounted "so does a cache that cannot be written" empty_read_only
check_mounted "and one from which all is taken costs nothing" known_read_only
echo "1..$n"
