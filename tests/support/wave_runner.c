#include "tests/support/wave_runner.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device/emulator/sanitizer/profile.h"
#include "device/emulator/sanitizer/sanitizer.h"
#include "tests/support/evidence.h"

struct wave_runner *wave_runner_open(const char *chip, uint32_t n_lanes)
{
    struct wave_runner *runner = aligned_alloc(64, (sizeof *runner + 63) / 64 * 64);
    const struct chip *row = chip_find(chip);
    size_t vgpr_bytes = (size_t)VGPR_ROWS * n_lanes * 4;
    uint32_t *vgpr = aligned_alloc(64, vgpr_bytes);
    uint8_t *lds = calloc(1, WAVE_RUNNER_LDS_BYTES + 64);
    if (!runner || !row || !vgpr || !lds) {
        fprintf(stderr, "wave_runner: no chip %s, or out of memory\n", chip);
        free(runner);
        free(vgpr);
        free(lds);
        return NULL;
    }
    memset(runner, 0, sizeof *runner);
    memset(vgpr, 0, vgpr_bytes);
    struct wave *wave = &runner->wave;
    wave->vgpr = vgpr;
    wave->n_lanes = n_lanes;
    wave->full_exec = wave->exec = n_lanes == 64 ? UINT64_MAX : UINT32_MAX;
    wave->chip = row;
    wave->code = &runner->code;
    wave->group = &runner->group;
    wave->dispatch = &runner->dispatch;
    runner->group = (struct workgroup){
        .dispatch = &runner->dispatch, .n_waves = 1, .waves = wave, .lds = lds, .lds_bytes = WAVE_RUNNER_LDS_BYTES};
    runner->dispatch.code = &runner->code;
    runner->dispatch.reachable = 1;
    runner->dispatch.max_instructions = 1000000;
    runner->dispatch.checks_wanted = CHECKS_BASIC;
    runner->dispatch.findings = runner->findings;
    pthread_mutex_init(&runner->dispatch.lock, NULL);
    wave_runner_set_mode(runner, WAVE_RUNNER_HSA_MODE);
    return runner;
}

void wave_runner_close(struct wave_runner *runner)
{
    if (!runner)
        return;
    sanitizer_group_close(runner->checks);
    sanitizer_dispatch_close(&runner->dispatch);
    code_free(&runner->code);
    pthread_mutex_destroy(&runner->dispatch.lock);
    free(runner->executed);
    free(runner->image);
    free(runner->group.lds);
    free(runner->wave.vgpr);
    free(runner);
}

bool wave_runner_watch(struct wave_runner *runner, unsigned checks)
{
    runner->dispatch.checks_wanted = checks;
    runner->dispatch.lds_bytes = runner->group.lds_bytes;
    runner->dispatch.private_bytes = runner->wave.private_stride;
    runner->code.n_lanes = runner->wave.n_lanes;
    if (!sanitizer_dispatch_open(&runner->dispatch) || !sanitizer_group_open(&runner->dispatch, 1, &runner->checks))
        return false;
    sanitizer_group_start(&runner->group, runner->checks, NULL);
    return true;
}

bool wave_runner_found(const struct wave_runner *runner, enum finding_kind kind, const char *part)
{
    const struct finding *finding = &runner->findings[0];
    if (runner->dispatch.n_findings == 1 && finding->kind == kind && strstr(finding->text, part))
        return true;
    fprintf(stderr, "wave_runner: wanted one %s finding with \"%s\", got %u\n", finding_kind_name(kind), part,
            runner->dispatch.n_findings);
    return false;
}

uint32_t *wave_runner_vgpr(struct wave_runner *runner, unsigned index)
{
    return runner->wave.vgpr + (size_t)index * runner->wave.n_lanes;
}

void wave_runner_set_mode(struct wave_runner *runner, uint32_t mode)
{
    runner->wave.mode = mode;
    wave_mode_changed(&runner->wave);
}

/* Evidence is what ran, not what was loaded. */
static bool count_executed(struct wave_runner *runner)
{
    free(runner->executed);
    runner->wave.profile = runner->executed = profile_open(runner->code.n_instructions);
    runner->wave.watched = true;
    return runner->executed;
}

/* Decodes image, which the runner owns from now on. */
static bool load_image(struct wave_runner *runner, uint8_t *image, size_t n_bytes)
{
    struct error error;
    code_free(&runner->code);
    free(runner->image);
    runner->image = image;
    runner->wave.pc = 0;
    if (!code_decode(runner->wave.chip, runner->wave.n_lanes, image, n_bytes, 0, n_bytes, &runner->code, &error)) {
        fprintf(stderr, "wave_runner: %s\n", error.text);
        return false;
    }
    return !evidence_is_wanted() || count_executed(runner);
}

bool wave_runner_run_next(struct wave_runner *runner)
{
    struct wave *wave = &runner->wave;
    wave->state = WAVE_READY;
    wave->n_executed = wave->n_lanes_executed = 0;
    runner->dispatch.abandoned = false;
    runner->dispatch.n_findings = runner->dispatch.n_findings_seen = 0;
    workgroup_run(&runner->group);
    for (uint32_t i = 0; i < runner->dispatch.n_findings; i++)
        fprintf(stderr, "wave_runner: %s: %s\n", finding_kind_name(runner->findings[i].kind), runner->findings[i].text);
    if (runner->dispatch.n_findings == 0 && runner->executed)
        evidence_note_code(&runner->code, runner->executed, NULL);
    return runner->dispatch.n_findings == 0;
}

bool wave_runner_repeat(struct wave_runner *runner)
{
    runner->wave.pc = 0;
    return wave_runner_run_next(runner);
}

bool wave_runner_load(struct wave_runner *runner, const char *assembly)
{
    uint8_t *bytes;
    size_t n_bytes;
    return wave_runner_assemble(runner->wave.chip->name, runner->wave.n_lanes, assembly, &bytes, &n_bytes) &&
           load_image(runner, bytes, n_bytes);
}

bool wave_runner_run(struct wave_runner *runner, const char *assembly)
{
    size_t length = strlen(assembly);
    char *text = malloc(length + sizeof "\ns_endpgm\n");
    if (!text)
        return false;
    memcpy(text, assembly, length);
    strcpy(text + length, "\ns_endpgm\n");
    bool ok = wave_runner_load(runner, text);
    free(text);
    return ok && wave_runner_run_next(runner);
}

bool wave_runner_run_hex(struct wave_runner *runner, const char *hex)
{
    size_t n_bytes = strlen(hex) / 2;
    uint8_t *bytes = malloc(n_bytes + 1);
    for (size_t i = 0; bytes && i < n_bytes; i++) {
        unsigned byte;
        if (sscanf(hex + 2 * i, "%2x", &byte) != 1) {
            free(bytes);
            return false;
        }
        bytes[i] = (uint8_t)byte;
    }
    return bytes && load_image(runner, bytes, n_bytes) && wave_runner_run_next(runner);
}

/* Copies .text of a relocatable ELF that llvm-mc just wrote. */
static bool copy_text_section(const uint8_t *file, size_t n_file, uint8_t **bytes, size_t *n_bytes)
{
    Elf64_Ehdr header;
    if (n_file < sizeof header)
        return false;
    memcpy(&header, file, sizeof header);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        if (header.e_shoff + (i + 1) * sizeof section > n_file)
            return false;
        memcpy(&section, file + header.e_shoff + i * sizeof section, sizeof section);
        if (!(section.sh_flags & SHF_EXECINSTR) || section.sh_offset + section.sh_size > n_file)
            continue;
        *n_bytes = section.sh_size;
        *bytes = malloc(section.sh_size + 1);
        if (*bytes)
            memcpy(*bytes, file + section.sh_offset, section.sh_size);
        return *bytes;
    }
    return false;
}

static bool read_all(FILE *stream, uint8_t **data, size_t *n_bytes)
{
    size_t capacity = 0;
    *data = NULL;
    *n_bytes = 0;
    do {
        if (*n_bytes == capacity) {
            capacity = capacity ? 2 * capacity : 4096;
            uint8_t *grown = realloc(*data, capacity);
            if (!grown)
                return false;
            *data = grown;
        }
        *n_bytes += fread(*data + *n_bytes, 1, capacity - *n_bytes, stream);
    } while (!feof(stream) && !ferror(stream));
    return !ferror(stream);
}

bool wave_runner_assemble(const char *chip, uint32_t n_lanes, const char *assembly, uint8_t **bytes, size_t *n_bytes)
{
    char path[] = "/tmp/wave_runner_XXXXXX", command[512];
    const struct chip *row = chip_find(chip);
    if (!row) {
        fprintf(stderr, "wave_runner: no chip %s\n", chip);
        return false;
    }
    int file = mkstemp(path);
    if (file < 0)
        return false;
    bool written = write(file, assembly, strlen(assembly)) == (ssize_t)strlen(assembly);
    close(file);
    const char *assembler = getenv("LLVM_MC");
    bool add_wave64 = n_lanes == 64 && row->has_wave32, has_halves = row->family > CHIP_RDNA2 && !chip_is_cdna(row);
    snprintf(command, sizeof command, "%s -triple=amdgcn-amd-amdhsa -mcpu=%s %s %s -filetype=obj -o - %s",
             assembler ? assembler : "llvm-mc-22", chip, add_wave64 ? "-mattr=+wavefrontsize64" : "",
             has_halves ? "-mattr=+real-true16" : "", path);
    FILE *stream = written ? popen(command, "r") : NULL;
    uint8_t *object = NULL;
    size_t n_object = 0;
    bool ok = stream && read_all(stream, &object, &n_object);
    ok = stream && pclose(stream) == 0 && ok && copy_text_section(object, n_object, bytes, n_bytes);
    free(object);
    unlink(path);
    if (!ok)
        fprintf(stderr, "wave_runner: cannot assemble:\n%s\n", assembly);
    return ok;
}
