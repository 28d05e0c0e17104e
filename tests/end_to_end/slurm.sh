#!/usr/bin/env bash
# `hipcontract slurm`: on a real Slurm of one node, started here, the shards and their merge come to what one run comes to, and statuses arrive:
# of a red kernel, of a shard that was cancelled, of one that was stopped. Without sbatch, or where it refuses, one line says so.
# Prints TAP; needs $HIPCONTRACT and $HIPCONTRACT_ROOT, and for the real Slurm root and Debian's slurmctld, slurmd, munge and slurm-client.
set -uo pipefail

# shellcheck source=tests/support/checks.sh
. "$HIPCONTRACT_ROOT/tests/support/checks.sh"
# A folder whose name has what shells and sbatch read otherwise.
place="$work/it's 100% %a"
mkdir -p "$place" "$work/none" "$work/fake"
cd "$place" || exit 1
some=(--quick --runs 2 --jobs 1 --only 'rms_*' --only 'softmax_*' --only 'moe_combine*')
shards=3

slurm() { ends "$1" "$HIPCONTRACT" slurm "${@:2}"; }
err_has() { grep -qF -- "$1" "$work/err" && one_error_line; }
lines_of() { sed -E '1d; s/; gates [0-9]+ ms, limits [0-9]+ ms$//' "$1" | grep '^[A-Z]'; }
cases_of() { sed -E 's/ (time|timestamp)="[^"]*"//g' "$1"; }

dry_run() {
    slurm 0 --shards 3 --folder dry "${some[@]}" --chip gfx1151,gfx1100 --junit 'a b.xml' --sbatch --time=10 --sbatch-shards --gres=gpu:1 --dry-run && [ ! -e dry ] && [ ! -s "$work/err" ] || return 1
    sed '/merge.sh$/,$d' "$work/out" >"$work/shards" && sed '1,/merge.sh$/d' "$work/out" >"$work/merge"
    grep -qxF '#SBATCH --array=1-3' "$work/shards" && grep -qxF '#SBATCH --gres=gpu:1' "$work/shards" && grep -qF -- "--only 'rms_*'" "$work/shards" && grep -qF -- '--chip gfx1151,gfx1100' "$work/shards" &&
        ! grep -qE 'junit|merge' "$work/shards" && grep -qF -- "--junit 'a b.xml'" "$work/merge" && ! grep -qE 'gres|only' "$work/merge" && [ "$(grep -cxF '#SBATCH --time=10' "$work/out")" -eq 2 ] &&
        tail -n +2 "$work/shards" | bash -n && bash -n "$work/merge"
}
wrong_usage() {
    slurm 2 && err_has 'give --shards N' && slurm 2 --shards 0 && slurm 2 --shards 2 --log x && one_error_line && slurm 2 --shards 2 --sbatch all && err_has '--sbatch all: give an option of sbatch' &&
        slurm 2 --shards 2 --sbatch-shards $'-n 1\nrm x' && one_error_line && slurm 2 --shards 2 --junit none/x.xml && err_has '--junit none/x.xml: cannot write there' &&
        slurm 2 --shards 2 --folder 'a"b' && one_error_line && [ -z "$(ls -A)" ]
}
no_sbatch() { slurm 0 --help && ends 3 env PATH="$work/none" "$HIPCONTRACT" slurm --shards 2 && err_has 'hipcontract slurm: sbatch cannot be run: install'; }
# An sbatch that takes the first job and refuses the second.
no_merge() {
    # shellcheck disable=SC2016 # the script's own
    printf '#!/bin/sh\ncase "$*" in *dependency*) echo "sbatch: error: no more jobs" >&2; exit 1;; esac; echo 7\n' >"$work/fake/sbatch"
    chmod +x "$work/fake/sbatch"
    ends 3 env PATH="$work/fake:$PATH" "$HIPCONTRACT" slurm --shards 2 --folder fake && err_has 'job 7 runs the shards all the same' && err_has 'sbatch refuses the job of the merge: no more jobs' && out_says '^shards: job 7, 2 tasks'
}
held_folder() { ends 2 env PATH="$work/fake:$PATH" "$HIPCONTRACT" slurm --shards 2 --folder fake && err_has 'fake holds a run already'; }
# As the script says itself, and without a cluster.
by_hand() {
    SLURM_ARRAY_TASK_ID=2 ends 4 bash fake/merge.sh && grep -q '^no shard left a log; .*/fake/shard\*.out say why$' "$work/err"
}

why_no_slurm() {
    local program missing=()
    for program in slurmctld slurmd munged sbatch; do command -v "$program" >"$work/null" || missing+=("$program"); done
    [ ${#missing[@]} -eq 0 ] || { echo "no ${missing[*]}; scripts/deps.sh test installs them" && return; }
    [ "$(id -u)" -eq 0 ] || echo "a slurmd of one's own needs root"
}
daemons=()
start_slurm() {
    local slurm=$work/slurm port=$((20000 + RANDOM % 9000))
    # munged wants every user to reach its socket.
    chmod 711 "$work" && mkdir -p "$slurm/state" "$slurm/spool" && head -c 1024 /dev/urandom >"$slurm/munge.key" && chmod 400 "$slurm/munge.key"
    cat >"$slurm/slurm.conf" <<CONF
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$slurm/munge.socket
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
MailProg=/bin/true
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=batch_sched_delay=0,sched_interval=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
KillWait=5
NodeName=node NodeHostname=$(hostname) NodeAddr=127.0.0.1 Port=$((port + 1)) CPUs=2 State=UNKNOWN
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
CONF
    export SLURM_CONF=$slurm/slurm.conf
    munged -F --key-file="$slurm/munge.key" --socket="$slurm/munge.socket" --pid-file="$slurm/munged.pid" --seed-file="$slurm/munge.seed" >"$slurm/munged.log" 2>&1 &
    daemons=("$!")
    wait_for test -S "$slurm/munge.socket" || { cp "$slurm/munged.log" "$work/err" && return 1; }
    slurmctld -D -c >"$slurm/slurmctld.log" 2>&1 &
    daemons=("$!" "${daemons[@]}")
    slurmd -D -N node >"$slurm/slurmd.log" 2>&1 &
    daemons=("$!" "${daemons[@]}")
    wait_for node_is_idle && return
    tail -n 5 "$slurm"/*.log >"$work/err"
    return 1
}
node_is_idle() { [ "$(sinfo -h -o %T 2>"$work/err")" = idle ]; }
wait_for() { # COMMAND...: for up to a minute
    local i
    for ((i = 0; i < 200; i++)); do
        "$@" && return
        sleep 0.3
    done
    echo "  in vain: $*"
    return 1
}
stop_slurm() {
    local daemon
    [ ${#daemons[@]} -eq 0 ] && return
    scancel --quiet --user=root 2>"$work/null"
    wait_for no_jobs
    for daemon in "${daemons[@]}"; do
        kill "$daemon" 2>"$work/null"
        wait "$daemon"
    done
}
no_jobs() { [ -z "$(squeue -h 2>"$work/null")" ]; }
trap 'stop_slurm; rm -rf "$work"' EXIT

# The job of the array, or of the merge, that the last submission printed.
job() { sed -nE "s/^$1: job ([0-9]+),.*/\1/p" "$work/out"; }
ended_with() { scontrol -o show job "$1" | grep -qE " ExitCode=$2:0 "; }
has_ended() { scontrol -o show job "$1" | grep -qE ' JobState=(COMPLETED|FAILED|CANCELLED) '; }

refusal() { # and nothing is left in the way of the next try
    slurm 3 --shards $shards "${some[@]}" --sbatch --partition=none && err_has 'sbatch refuses the job of the shards: invalid partition specified: none; ' && [ ! -s "$work/out" ] && [ -z "$(ls -A hipcontract-slurm)" ]
}
whole() {
    ends 0 "$HIPCONTRACT" contract "${some[@]}" --no-db --log "$work/whole.jsonl" --junit "$work/whole.xml" && ends 0 "$HIPCONTRACT" report "$work/whole.jsonl" && lines_of "$work/out" >"$work/whole" && [ "$(wc -l <"$work/whole")" -gt 10 ]
}
merged() {
    whole && slurm 0 --shards $shards "${some[@]}" --junit run.xml --markdown run.md --db run.db --wait && [ ! -s "$work/err" ] || return 1
    [ "$(cat hipcontract-slurm/shard?.jsonl | grep -c '"record":"environment"')" -eq $shards ] && diff "$work/whole" <(lines_of "$work/out") >"$work/err" &&
        diff <(cases_of "$work/whole.xml") <(cases_of run.xml) >"$work/err" && grep -q . run.md && [ "$(wc -l <hipcontract-slurm/shard2.out)" -gt 2 ] && ended_with "$(job merge)" 0 && ends 0 "$HIPCONTRACT" history --db run.db
}
again() { # a task that starts once more goes on from its log
    local log=hipcontract-slurm/shard2.jsonl n
    n=$(grep -m 1 -n '"record":"end"' $log | cut -d: -f1) && head -n "$((n + 1))" $log >"$work/cut" && cp "$work/cut" $log && ends 0 sbatch --wait --array=2 hipcontract-slurm/shards.sh &&
        cmp -s <(sed -n "2,${n}p" "$work/cut") <(sed -n "2,${n}p" $log) && ends 0 bash hipcontract-slurm/merge.sh && diff "$work/whole" <(lines_of "$work/out") >"$work/err"
}
red() { # a record that is not what the compiler makes
    copy_project "$work/copy" && sed -i -E '/^softmax_rows +gfx1151/s/ [0-9]+( +slots)/ 99\1/' "$work/copy"/records/debian-clang-22/softmax.txt || return 1
    HIPCONTRACT_CACHE=${HIPCONTRACT_CACHE:-$BUILD/cache} HIPCONTRACT_ROOT=$work/copy slurm 1 --shards 2 --folder red --quick --runs 2 --only softmax_rows --wait && out_says '^LIMIT gfx1151 softmax_rows .*record stale' && ended_with "$(job shards)_1" 1 && ended_with "$(job merge)" 1
}
cancelled() {
    local all merge
    slurm 0 --shards $shards --folder cancelled "${some[@]}" --sbatch-shards --hold && all=$(job shards) merge=$(job merge) && scancel "${all}_2" && scontrol release "$all" && wait_for has_ended "$merge" &&
        ended_with "$merge" 4 && grep -q "^hipcontract report: shard 2 of $shards is missing" cancelled/merge.out && grep -q '^SUMMARY' cancelled/merge.out
}
stopped() { # as before the time limit: TERM to the task's own process
    local all merge
    slurm 0 --shards 1 --folder stopped && all=$(job shards) merge=$(job merge) && wait_for grep -qs '"record":"end"' stopped/shard1.jsonl && scancel --batch --signal=TERM "${all}_1" && wait_for has_ended "$merge" &&
        ended_with "${all}_1" 4 && ended_with "$merge" 4 && grep -q '"interrupted":true' <(tail -n 1 stopped/shard1.jsonl) && grep -q 'the run was interrupted before its end' stopped/merge.out
}

check 'what would be submitted is printed, with what each job needs' dry_run
check 'wrong usage is one line, and leaves nothing' wrong_usage
check 'without sbatch one line says so, with status 3' no_sbatch
check 'a merge that is refused is told, and how to do it by hand' no_merge
check 'a folder that holds a run is refused' held_folder
check 'a merge without one log says where to look' by_hand
reason=$(why_no_slurm)
if [ -n "$reason" ]; then
    n=$((n + 1))
    echo "ok $n - a real Slurm # SKIP $reason"
elif check 'a Slurm of one node starts' start_slurm && node_is_idle; then
    check 'what Slurm refuses is one line, with status 3' refusal
    check "the merge of $shards tasks is the whole run's report, in every format" merged
    check 'a shard that starts again goes on from its log' again
    check 'a limit problem of one shard is the status of all' red
    check 'a task that was cancelled is a missing shard' cancelled
    check 'a task that is stopped leaves a whole log, and its status arrives' stopped
fi
echo "1..$n"
