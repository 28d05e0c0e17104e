/*
 * The commands of the program, as one table: main.c's dispatch, `--help` and the check of names all come from it.
 *
 * A command gets argv[0] = its own name, parses its options with getopt_long, answers `--help` itself, and returns the exit
 * status (enum status). Nothing below main() exits.
 */
#ifndef COMMANDS_COMMANDS_H
#define COMMANDS_COMMANDS_H

/* X(name, one line of help); each has a function int command_NAME(int argc, char **argv). */
#define COMMANDS(X)                                                                                                        \
    X(contract, "gates 1-4, controls and limits: the CI gate")                                                             \
    X(gates, "gates 1-4 and controls only")                                                                                \
    X(limits, "gate 5 only; --update rewrites the committed records; --record prints RECORD lines")                        \
    X(audit, "every kernel, chip and compiler: registers, LDS, scratch, occupancy against the records, as one table")      \
    X(report, "RUN.jsonl ...: what the logs of a run, or of its shards, come to, as lines and in files of other formats")  \
    X(slurm, "--shards N: contract as a job array of Slurm, and a job that merges its logs")                               \
    X(compare, "A B: what two runs left, output by output: devices, chips, compilers, commits")                            \
    X(list, "registrations with shapes, patterns, chips, controls; --teeth: which gate catches what")                      \
    X(run, "KERNEL --shape L: one case, verbosely")                                                                        \
    X(history, "[KERNEL]: what past runs recorded, as a table with trends")                                                \
    X(emulate, "FILE.co ...: run any kernel of any code object on the emulator")                                           \
    X(disasm, "FILE.co: as the emulator decodes it")                                                                       \
    X(mutate, "changes kernels one instruction at a time: which changes the contract notices")                             \
    X(selftest, "faults of the harness itself, one at a time, and who notices each")                                       \
    X(cache, "list, verify or prune: the code objects that were compiled and kept")                                        \
    X(doctor, "what was found: compilers, HIP headers and runtime, GPUs, chips, versions")

#define COMMAND_DECLARATION(name, help) int command_##name(int argc, char **argv);
COMMANDS(COMMAND_DECLARATION)
#undef COMMAND_DECLARATION

#endif
