#include "contract/kernel_files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool out_of_memory(struct error *error)
{
    return error_set(error, STATUS_ENVIRONMENT, "out of host memory for --kernels");
}

static bool open_files(const char *const *paths, size_t n, struct arena *arena, struct kernel_files *files,
                       struct error *error)
{
    files->files = arena_alloc(arena, n * sizeof *files->files);
    if (!files->files)
        return out_of_memory(error);
    for (size_t i = 0; i < n; i++) {
        struct kernel_file *file = &files->files[files->n_files++];
        if (!kernel_file_open(file, paths[i], arena, error))
            return false;
        for (size_t j = 0; j < i; j++)
            if (files->files[j].handle == file->handle)
                return INVALID_FILE(error, file, "given twice");
    }
    return true;
}

/* A file that compilers would not find is a wrong folder, not a kernel that does not compile. */
static bool has_source(const struct kernel_file *file, const struct registration *r, struct error *error)
{
    char path[PATH_MAX];
    bool absolute = *r->source == '/';
    int length = snprintf(path, sizeof path, "%s%s%s", absolute ? "" : file->folder, absolute ? "" : "/", r->source);
    if (length < (int)sizeof path && access(path, R_OK) == 0)
        return true;
    return INVALID_FILE(error, file,
                        "source %s of registration %s: %s; HIPCONTRACT_KERNELS names the folder that it is below", path,
                        r->name, strerror(length < (int)sizeof path ? errno : ENAMETOOLONG));
}

static const struct control *find_control(const struct control *const *controls, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(controls[i]->name, name) == 0)
            return controls[i];
    return NULL;
}

/* NULL where the name is new. */
static const char *owner(bool in_program, bool in_files)
{
    return in_program ? "in hipcontract itself" : in_files ? "in this file or one before it" : NULL;
}

static bool check_name(const struct kernel_file *file, const char *kind, const char *name, const char *owner,
                       struct error *error)
{
    return !owner || INVALID_FILE(error, file, "%s %s exists already, %s; give it another name", kind, name, owner);
}

/* A copy of a list of n pointers, with room for more. */
static void *copy_with_room(struct arena *arena, const void *list, size_t n, size_t more)
{
    void *copy = arena_alloc(arena, (n + more + 1) * sizeof(void *));
    if (copy && n)
        memcpy(copy, list, n * sizeof(void *));
    return copy;
}

static bool add_registrations(const struct kernel_file *file, const struct registry *program, struct registry *registry,
                              struct arena *arena, struct error *error)
{
    const struct hipcontract_kernels *kernels = file->kernels;
    size_t n = (size_t)(kernels->registrations_end - kernels->registrations);
    struct registration *copies = arena_alloc(arena, n * sizeof *copies);
    const struct registration **list = copy_with_room(arena, registry->registrations, registry->n_registrations, n);
    if (!copies || !list)
        return out_of_memory(error);
    registry->registrations = list;
    for (size_t i = 0; i < n; i++) {
        copies[i] = registration_placed(kernels->registrations[i]);
        copies[i].root = file->folder;
        if (!copies[i].name || !copies[i].source)
            return INVALID_FILE(error, file, "a registration lacks its name or source");
        const char *name = copies[i].name;
        if (!check_name(file, "registration", name, owner(registry_find(program, name), registry_find(registry, name)),
                        error) ||
            !has_source(file, &copies[i], error))
            return false;
        list[registry->n_registrations++] = &copies[i];
    }
    return true;
}

static bool add_controls(const struct kernel_file *file, const struct registry *program, struct registry *registry,
                         struct arena *arena, struct error *error)
{
    const struct hipcontract_kernels *kernels = file->kernels;
    size_t n = (size_t)(kernels->controls_end - kernels->controls);
    const struct control **list = copy_with_room(arena, registry->controls, registry->n_controls, n);
    if (!list)
        return out_of_memory(error);
    registry->controls = list;
    for (size_t i = 0; i < n; i++) {
        const char *name = kernels->controls[i]->name;
        if (!name)
            return INVALID_FILE(error, file, "a control lacks its name");
        if (!check_name(file, "control", name,
                        owner(find_control(program->controls, program->n_controls, name),
                              find_control(registry->controls, registry->n_controls, name)),
                        error))
            return false;
        list[registry->n_controls++] = kernels->controls[i];
    }
    return true;
}

bool kernel_files_load(const char *const *paths, size_t n, const struct registry *program, struct arena *arena,
                       struct kernel_files *files, struct registry *registry, struct error *error)
{
    struct registry found = {0};
    if (!open_files(paths, n, arena, files, error))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!add_registrations(&files->files[i], program, &found, arena, error) ||
            !add_controls(&files->files[i], program, &found, arena, error))
            return false;
    return registry_sort(arena, &found, registry, error);
}

void kernel_files_close(struct kernel_files *files)
{
    while (files->n_files)
        kernel_file_close(&files->files[--files->n_files]);
}
