/*
 * Kinds of calls that a test makes fail, shared by what makes them fail (shim.c) and the test (sweep.c).
 */
#ifndef FAULTS_CLASSES_H
#define FAULTS_CLASSES_H

/* X(id, name, what fails, and how) */
#define FAULT_CLASSES(X)                                                                                                   \
    X(ALLOCATION, "allocation", "malloc and its kin, and mmap: ENOMEM")                                                    \
    X(WRITE, "write", "what writes a file or standard output: ENOSPC")                                                     \
    X(READ, "read", "what opens or reads a file: EIO")                                                                     \
    X(SPAWN, "spawn", "processes, pipes and threads: EAGAIN")                                                              \
    X(COMPILE, "compile", "a process that is started ends at once with status 1")                                          \
    X(KILLED, "killed", "a process that is started is killed")                                                             \
    X(DLOPEN, "dlopen", "a shared object that is opened, or a name that is looked up in one")                              \
    X(DATABASE, "database", "SQLite's calls of the system: EIO, or ENOSPC where it writes")

#define FAULT_CLASS_ENUM(id, name, what) FAULT_##id,
enum fault_class { FAULT_CLASSES(FAULT_CLASS_ENUM) FAULT_CLASS_COUNT };
#undef FAULT_CLASS_ENUM

/* The environment: the class whose call fails, the number of that call from 1 (0: none does, they are counted), and a file
 * that gets, when the program ends, a line "CLASS CALLS" for each class, and "failed FUNCTION OBJECT+OFFSET" for the call.
 */
#define FAULT_CLASS_VARIABLE  "FAULT_CLASS"
#define FAULT_AT_VARIABLE     "FAULT_AT"
#define FAULT_RECORD_VARIABLE "FAULT_RECORD"

#endif
