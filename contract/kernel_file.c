#include "contract/kernel_file.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *what;
    uint32_t number;
} layout[] = {
#define LAYOUT_ROW(what, number) {what, (uint32_t)(number)},
    HIPCONTRACT_LAYOUT(LAYOUT_ROW)
#undef LAYOUT_ROW
};
enum { N_LAYOUT = sizeof layout / sizeof *layout };

static bool same_number(const struct kernel_file *file, const char *what, uint32_t there, uint32_t here,
                        struct error *error)
{
    return there == here || INVALID_FILE(error, file,
                                         "built against another hipcontract.h of ABI %d: %s are %u there and %u in this "
                                         "program; build it anew against this program's header",
                                         HIPCONTRACT_ABI, what, there, here);
}

static bool same_abi(const struct kernel_file *file, struct error *error)
{
    const struct hipcontract_kernels *kernels = file->kernels;
    if (kernels->abi != HIPCONTRACT_ABI)
        return INVALID_FILE(error, file,
                            "built for ABI %u of hipcontract.h, this program has ABI %d; build it anew against this "
                            "program's header",
                            kernels->abi, HIPCONTRACT_ABI);
    if (!same_number(file, "numbers of the layout", kernels->n_layout, N_LAYOUT, error))
        return false;
    for (int i = 0; i < N_LAYOUT; i++)
        if (!same_number(file, layout[i].what, kernels->layout[i], layout[i].number, error))
            return false;
    return true;
}

static bool not_loaded(const struct kernel_file *file, struct error *error)
{
    const char *reason = dlerror();
    const char *hint = reason && strstr(reason, "undefined symbol")
                           ? "; link what it needs into it, or build it anew against this program's hipcontract.h"
                           : "; give a shared object that was built for this machine";
    return INVALID_FILE(error, file, "cannot be loaded: %s%s", reason ? reason : "no reason is given", hint);
}

static bool open_shared(struct kernel_file *file, const char *absolute, int binding, struct error *error)
{
    file->handle = dlopen(absolute, binding | RTLD_LOCAL);
    if (!file->handle)
        return not_loaded(file, error);
    file->kernels = dlsym(file->handle, "hipcontract_kernels");
    return file->kernels || INVALID_FILE(error, file,
                                         "has no symbol hipcontract_kernels; say HIPCONTRACT_KERNELS(\"\") of "
                                         "hipcontract.h in one of its C files");
}

/* All its functions are bound before any is called, but only after the ABI has been compared: a file for another program
 * may well lack some. What is open keeps how it was bound, so that it is opened anew. */
static bool load(struct kernel_file *file, const char *absolute, struct error *error)
{
    if (!open_shared(file, absolute, RTLD_LAZY, error) || !same_abi(file, error))
        return false;
    dlclose(file->handle);
    return open_shared(file, absolute, RTLD_NOW, error);
}

/* folder, from where the file is, without links. */
static bool find_folder(struct kernel_file *file, char *absolute, struct arena *arena, struct error *error)
{
    char found[PATH_MAX];
    const char *folder = file->kernels->folder ? file->kernels->folder : "";
    *strrchr(absolute, '/') = 0;
    const char *joined = *folder == '/' ? folder : arena_format(arena, "%s/%s", absolute, folder);
    if (joined && !realpath(joined, found))
        return INVALID_FILE(error, file, "HIPCONTRACT_KERNELS names the folder %s: %s", joined, strerror(errno));
    file->folder = joined ? arena_format(arena, "%s", found) : NULL;
    return file->folder || error_set(error, STATUS_ENVIRONMENT, "out of host memory for --kernels");
}

bool kernel_file_open(struct kernel_file *file, const char *path, struct arena *arena, struct error *error)
{
    char absolute[PATH_MAX];
    *file = (struct kernel_file){.path = path};
    if (!realpath(path, absolute))
        return INVALID_FILE(error, file, "%s", strerror(errno));
    if (!load(file, absolute, error))
        return false;
    if (file->kernels->registrations == file->kernels->registrations_end)
        return INVALID_FILE(error, file, "registers no kernel; REG_KERNEL does");
    return find_folder(file, absolute, arena, error);
}

void kernel_file_close(struct kernel_file *file)
{
    if (file->handle)
        dlclose(file->handle);
    *file = (struct kernel_file){0};
}
