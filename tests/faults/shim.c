/*
 * A library to preload: counts calls by class, and makes the k-th of a class fail as the system would. Threads and forked
 * processes count together; a program that is executed is not watched.
 *
 * Not counted is what C++ calls inside LLVM and libstdc++: there an allocation that fails ends the process by design.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/faults/classes.h"

/* glibc's own names of what is replaced here. */
void *__libc_malloc(size_t n_bytes);
void *__libc_calloc(size_t n, size_t n_bytes);
void *__libc_realloc(void *old, size_t n_bytes);
void *__libc_memalign(size_t alignment, size_t n_bytes);

enum caller { CALLER_OTHER, CALLER_PROGRAM, CALLER_SQLITE, CALLER_CXX, CALLER_LOADER };

enum { MAX_RANGES = 64, RECORD_BYTES = 500 };
struct range {
    uintptr_t first, end;
    enum caller caller;
};

/* Shared by forked processes. */
struct shared {
    atomic_ulong calls[FAULT_CLASS_COUNT];
    char failed[RECORD_BYTES];
};

static struct range ranges[MAX_RANGES];
static size_t n_ranges;
static struct shared *shared;
static enum fault_class wanted = FAULT_CLASS_COUNT;
static unsigned long wanted_call;
static pid_t owner;
static char record_path[RECORD_BYTES];

static enum caller caller_of_object(const char *name)
{
    if (!name[0] || strstr(name, "libjansson")) /* it writes the program's logs */
        return CALLER_PROGRAM;
    if (strstr(name, "libsqlite3"))
        return CALLER_SQLITE;
    if (strstr(name, "libLLVM") || strstr(name, "libstdc++") || strstr(name, "libgcc_s"))
        return CALLER_CXX;
    return strstr(name, "ld-linux") ? CALLER_LOADER : CALLER_OTHER;
}

static int add_ranges(struct dl_phdr_info *info, size_t n_bytes, void *context)
{
    (void)n_bytes, (void)context;
    enum caller caller = caller_of_object(info->dlpi_name);
    for (int i = 0; i < info->dlpi_phnum && n_ranges < MAX_RANGES; i++) {
        const ElfW(Phdr) *header = &info->dlpi_phdr[i];
        uintptr_t first = info->dlpi_addr + header->p_vaddr;
        if (header->p_type == PT_LOAD && header->p_flags & PF_X && caller != CALLER_OTHER)
            ranges[n_ranges++] = (struct range){first, first + header->p_memsz, caller};
    }
    return 0;
}

static enum caller caller_at(const void *address)
{
    for (size_t i = 0; i < n_ranges; i++)
        if ((uintptr_t)address >= ranges[i].first && (uintptr_t)address < ranges[i].end)
            return ranges[i].caller;
    return CALLER_OTHER;
}

static void open_shared(void)
{
    static const char *const names[] = {
#define CLASS_NAME(id, name, what) name,
        FAULT_CLASSES(CLASS_NAME)
#undef CLASS_NAME
    };
    const char *class = getenv(FAULT_CLASS_VARIABLE), *at = getenv(FAULT_AT_VARIABLE),
               *path = getenv(FAULT_RECORD_VARIABLE);
    for (int i = 0; class && i < FAULT_CLASS_COUNT; i++)
        if (strcmp(class, names[i]) == 0)
            wanted = (enum fault_class)i;
    wanted_call = at ? strtoul(at, NULL, 10) : 0;
    snprintf(record_path, sizeof record_path, "%s", path ? path : "");
    unsetenv("LD_PRELOAD");
    owner = getpid();
    dl_iterate_phdr(add_ranges, NULL);
    void *memory = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    shared = memory == MAP_FAILED ? NULL : memory;
}

__attribute__((constructor)) static void begin(void)
{
    open_shared();
}

__attribute__((destructor)) static void end(void)
{
    static const char *const names[] = {
#define CLASS_NAME(id, name, what) name,
        FAULT_CLASSES(CLASS_NAME)
#undef CLASS_NAME
    };
    char text[1000];
    int length = 0;
    if (!shared || !record_path[0] || getpid() != owner)
        return;
    for (int i = 0; i < FAULT_CLASS_COUNT; i++)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s %lu\n", names[i], shared->calls[i]);
    length += snprintf(text + length, sizeof text - (size_t)length, "%s", shared->failed);
    struct shared *ended = shared;
    shared = NULL;
    int descriptor = open(record_path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (descriptor >= 0 && write(descriptor, text, (size_t)length) != length)
        perror(record_path);
    close(descriptor);
    munmap(ended, sizeof *ended);
}

/* Counts a call; true where it is to fail. */
static bool fails(enum fault_class class, const char *function, const void *caller)
{
    if (!shared || atomic_fetch_add(&shared->calls[class], 1) + 1 != wanted_call || class != wanted)
        return false;
    Dl_info info = {0};
    dladdr(caller, &info);
    snprintf(shared->failed, sizeof shared->failed, "failed %s %s+0x%lx\n", function, info.dli_fname ? info.dli_fname : "?",
             (unsigned long)((uintptr_t)caller - (uintptr_t)info.dli_fbase));
    return true;
}

#define CALLER __builtin_return_address(0)
/* The next definition of this name, as a function of its type. */
#define NEXT(name)                                                                                                         \
    static __typeof__(&name) next;                                                                                         \
    if (!next)                                                                                                             \
    next = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static bool allocation_fails(const char *function, const void *caller)
{
    enum caller who = caller_at(caller);
    if (who == CALLER_CXX || who == CALLER_LOADER || !fails(FAULT_ALLOCATION, function, caller))
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t n_bytes)
{
    return allocation_fails("malloc", CALLER) ? NULL : __libc_malloc(n_bytes);
}

void *calloc(size_t n, size_t n_bytes)
{
    return allocation_fails("calloc", CALLER) ? NULL : __libc_calloc(n, n_bytes);
}

void *realloc(void *old, size_t n_bytes)
{
    return n_bytes && allocation_fails("realloc", CALLER) ? NULL : __libc_realloc(old, n_bytes);
}

void *aligned_alloc(size_t alignment, size_t n_bytes)
{
    return allocation_fails("aligned_alloc", CALLER) ? NULL : __libc_memalign(alignment, n_bytes);
}

int posix_memalign(void **pointer, size_t alignment, size_t n_bytes)
{
    void *made = allocation_fails("posix_memalign", CALLER) ? NULL : __libc_memalign(alignment, n_bytes);
    if (!made)
        return ENOMEM;
    *pointer = made;
    return 0;
}

void *mmap(void *at, size_t n_bytes, int protection, int flags, int descriptor, off_t offset)
{
    NEXT(mmap);
    if (caller_at(CALLER) == CALLER_PROGRAM && allocation_fails("mmap", CALLER))
        return MAP_FAILED;
    return next(at, n_bytes, protection, flags, descriptor, offset);
}

/* What a stream that could not write looks like afterwards. */
static bool stream_fails(const char *function, FILE *stream, const void *caller)
{
    if (stream == stderr || caller_at(caller) != CALLER_PROGRAM || !fails(FAULT_WRITE, function, caller))
        return false;
    stream->_flags |= _IO_ERR_SEEN;
    errno = ENOSPC;
    return true;
}

size_t fwrite(const void *from, size_t n_bytes, size_t n, FILE *stream)
{
    NEXT(fwrite);
    return stream_fails("fwrite", stream, CALLER) ? 0 : next(from, n_bytes, n, stream);
}

int fputc(int c, FILE *stream)
{
    NEXT(fputc);
    return stream_fails("fputc", stream, CALLER) ? EOF : next(c, stream);
}

int putc(int c, FILE *stream)
{
    return stream_fails("putc", stream, CALLER) ? EOF : fputc(c, stream);
}

int fputs(const char *text, FILE *stream)
{
    NEXT(fputs);
    return stream_fails("fputs", stream, CALLER) ? EOF : next(text, stream);
}

int puts(const char *text)
{
    NEXT(puts);
    return stream_fails("puts", stdout, CALLER) ? EOF : next(text);
}

int putchar(int c)
{
    NEXT(putchar);
    return stream_fails("putchar", stdout, CALLER) ? EOF : next(c);
}

int vfprintf(FILE *stream, const char *format, va_list arguments)
{
    NEXT(vfprintf);
    return stream_fails("vfprintf", stream, CALLER) ? -1 : next(stream, format, arguments);
}

int fprintf(FILE *stream, const char *format, ...)
{
    if (stream_fails("fprintf", stream, CALLER))
        return -1;
    va_list arguments;
    va_start(arguments, format);
    int length = vfprintf(stream, format, arguments);
    va_end(arguments);
    return length;
}

int printf(const char *format, ...)
{
    if (stream_fails("printf", stdout, CALLER))
        return -1;
    va_list arguments;
    va_start(arguments, format);
    int length = vfprintf(stdout, format, arguments);
    va_end(arguments);
    return length;
}

int fflush(FILE *stream)
{
    NEXT(fflush);
    return stream && stream_fails("fflush", stream, CALLER) ? EOF : next(stream);
}

int fclose(FILE *stream)
{
    NEXT(fclose);
    bool failed = stream_fails("fclose", stream, CALLER);
    int result = next(stream);
    errno = failed ? ENOSPC : errno;
    return failed ? EOF : result;
}

/* A call of the system that writes, for the program or for SQLite. */
static bool write_fails(const char *function, const void *caller)
{
    enum caller who = caller_at(caller);
    enum fault_class class = who == CALLER_SQLITE ? FAULT_DATABASE : FAULT_WRITE;
    if ((who != CALLER_PROGRAM && who != CALLER_SQLITE) || !fails(class, function, caller))
        return false;
    errno = ENOSPC;
    return true;
}

ssize_t write(int descriptor, const void *from, size_t n_bytes)
{
    NEXT(write);
    return descriptor != STDERR_FILENO && write_fails("write", CALLER) ? -1 : next(descriptor, from, n_bytes);
}

ssize_t pwrite64(int descriptor, const void *from, size_t n_bytes, off64_t at)
{
    NEXT(pwrite64);
    return write_fails("pwrite64", CALLER) ? -1 : next(descriptor, from, n_bytes, at);
}

int fsync(int descriptor)
{
    NEXT(fsync);
    return write_fails("fsync", CALLER) ? -1 : next(descriptor);
}

int fdatasync(int descriptor)
{
    NEXT(fdatasync);
    return write_fails("fdatasync", CALLER) ? -1 : next(descriptor);
}

int ftruncate64(int descriptor, off64_t n_bytes)
{
    NEXT(ftruncate64);
    return write_fails("ftruncate64", CALLER) ? -1 : next(descriptor, n_bytes);
}

int rename(const char *from, const char *to)
{
    NEXT(rename);
    return write_fails("rename", CALLER) ? -1 : next(from, to);
}

int mkdir(const char *path, mode_t mode)
{
    NEXT(mkdir);
    return write_fails("mkdir", CALLER) ? -1 : next(path, mode);
}

int mkostemp(char *pattern, int flags)
{
    NEXT(mkostemp);
    return write_fails("mkostemp", CALLER) ? -1 : next(pattern, flags);
}

static bool read_fails(const char *function, const void *caller)
{
    enum caller who = caller_at(caller);
    enum fault_class class = who == CALLER_SQLITE ? FAULT_DATABASE : FAULT_READ;
    if ((who != CALLER_PROGRAM && who != CALLER_SQLITE) || !fails(class, function, caller))
        return false;
    errno = EIO;
    return true;
}

/* The mode is passed on whether or not there is one: where there is none it is not looked at. */
static mode_t mode_of(int flags, va_list arguments)
{
    return flags & (O_CREAT | O_TMPFILE) ? va_arg(arguments, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
    NEXT(open);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return read_fails("open", CALLER) ? -1 : next(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    NEXT(open64);
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = mode_of(flags, arguments);
    va_end(arguments);
    return read_fails("open64", CALLER) ? -1 : next(path, flags, mode);
}

FILE *fopen(const char *path, const char *mode)
{
    NEXT(fopen);
    return read_fails("fopen", CALLER) ? NULL : next(path, mode);
}

ssize_t read(int descriptor, void *to, size_t n_bytes)
{
    NEXT(read);
    return read_fails("read", CALLER) ? -1 : next(descriptor, to, n_bytes);
}

ssize_t pread64(int descriptor, void *to, size_t n_bytes, off64_t at)
{
    NEXT(pread64);
    return read_fails("pread64", CALLER) ? -1 : next(descriptor, to, n_bytes, at);
}

static bool spawn_fails(const char *function, const void *caller)
{
    if (caller_at(caller) != CALLER_PROGRAM || !fails(FAULT_SPAWN, function, caller))
        return false;
    errno = EAGAIN;
    return true;
}

pid_t fork(void)
{
    NEXT(fork);
    return spawn_fails("fork", CALLER) ? -1 : next();
}

int pipe2(int descriptors[2], int flags)
{
    NEXT(pipe2);
    return spawn_fails("pipe2", CALLER) ? -1 : next(descriptors, flags);
}

int socketpair(int domain, int type, int protocol, int descriptors[2])
{
    NEXT(socketpair);
    return spawn_fails("socketpair", CALLER) ? -1 : next(domain, type, protocol, descriptors);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument)
{
    NEXT(pthread_create);
    return spawn_fails("pthread_create", CALLER) ? EAGAIN : next(thread, attributes, start, argument);
}

int posix_spawnp(pid_t *child, const char *file, const posix_spawn_file_actions_t *actions,
                 const posix_spawnattr_t *attributes, char *const *argv, char *const *environment)
{
    NEXT(posix_spawnp);
    char *const fail[] = {"false", NULL}, *const die[] = {"sh", "-c", "kill -KILL $$", NULL};
    if (spawn_fails("posix_spawnp", CALLER))
        return EAGAIN;
    if (fails(FAULT_COMPILE, "posix_spawnp", CALLER))
        return next(child, fail[0], actions, attributes, fail, environment);
    if (fails(FAULT_KILLED, "posix_spawnp", CALLER))
        return next(child, die[0], actions, attributes, die, environment);
    return next(child, file, actions, attributes, argv, environment);
}

/* A name that is not there gives dlerror its words. */
void *dlopen(const char *path, int mode)
{
    NEXT(dlopen);
    return fails(FAULT_DLOPEN, "dlopen", CALLER) ? next("/nonexistent/made-to-fail.so", RTLD_NOW) : next(path, mode);
}
