/* `hipcontract doctor`: what was found, and for each missing thing the command that installs it. */
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "contract/base/project.h"
#include "contract/base/text.h"
#include "contract/version.h"
#include "device/device.h"
#include "device/emulator/decode.h"
#include "records/chips.h"
#include "toolchain/profile.h"

static const char help[] =
    "usage: hipcontract doctor\n\n"
    "Shows the compilers, HIP headers, device libraries, LLVM, HIP runtime and GPUs that were found, and for each missing\n"
    "thing the command that installs it.\n\n"
    "Exit status: 0 all that is needed is there, 2 wrong usage, 3 something needed is missing.\n";

static void print_line(const char *what, const char *found)
{
    printf("%-18s %s\n", what, found);
}

static bool report_missing(const char *what, const char *advice)
{
    printf("%-18s MISSING; %s\n", what, advice);
    return false;
}

static bool report_compiler(void)
{
    struct profile profile;
    struct error error;
    if (!profile_find(&profile, &error))
        return report_missing("compiler", error.text);
    printf("%-18s %s: %s, %s\n", "compiler", profile.name, profile.version, profile.executable);
    struct profile_part parts[PROFILE_MAX_PARTS];
    size_t n_parts = profile_parts(&profile, parts);
    bool ok = true;
    for (size_t i = 0; i < n_parts; i++) {
        if (*parts[i].path)
            print_line(parts[i].what, parts[i].path);
        else
            ok = report_missing(parts[i].what, parts[i].install);
    }
    return ok;
}

/* Those that `audit` uses beside the default; none is needed. */
static void report_other_compilers(void)
{
    struct profile profiles[PROFILE_MOST];
    size_t n_profiles = profile_find_all(profiles, PROFILE_MOST);
    for (size_t i = 1; i < n_profiles; i++)
        printf("%-18s %s: %s, %s\n", "for audit", profiles[i].name, profiles[i].version, profiles[i].executable);
}

/* The chips of the table that a test picks, one string. The caller frees. */
static struct text list_chips(bool (*picks)(const struct chip *chip))
{
    struct text text = {0};
    size_t n_chips;
    const struct chip *chips = chip_table(&n_chips);
    for (size_t i = 0; i < n_chips; i++)
        if (picks(&chips[i]))
            text_append(&text, "%s%s", text.length ? " " : "", chips[i].name);
    return text;
}

static bool is_emulated(const struct chip *chip)
{
    return disassembler_has_chip(chip);
}

static bool is_not_emulated(const struct chip *chip)
{
    return !disassembler_has_chip(chip);
}

static bool is_of_record(const struct chip *chip)
{
    return chip->of_record;
}

static bool report_llvm(void)
{
    struct text emulated = list_chips(is_emulated), lacking = list_chips(is_not_emulated),
                of_record = list_chips(is_of_record);
    printf("%-18s %u\n", "LLVM", disassembler_llvm_version());
    if (lacking.length)
        printf("%-18s %s: LLVM %u does not disassemble them; apt-get install llvm-22-dev, then make "
               "LLVM_CONFIG=llvm-config-22\n",
               "chips without", lacking.data, disassembler_llvm_version());
    if (!disassembler_knows_halves())
        printf(
            "%-18s LLVM %u lacks some 16-bit instructions of gfx11 and gfx12; a kernel that has them ends as unsupported\n",
            "16-bit operands", disassembler_llvm_version());
    bool ok = emulated.length > 0;
    if (ok)
        print_line("emulated chips", emulated.data);
    else
        report_missing("emulated chips", "apt-get install llvm-22-dev, then make LLVM_CONFIG=llvm-config-22");
    print_line("chips of record", of_record.data);
    text_free(&lacking);
    text_free(&emulated);
    text_free(&of_record);
    return ok;
}

/* A GPU is not needed; what the runtime says is shown as it is. */
static void report_runtime(void)
{
    struct device *device;
    struct error error;
    if (!rocm_open(0, &device, &error)) {
        print_line("HIP runtime", error.text);
        return;
    }
    int version = 0;
    device->hip->hipRuntimeGetVersion(&version);
    printf("%-18s version %d\n", "HIP runtime", version);
    printf("%-18s %d, the first a %s with waves of %d\n", "GPUs", device->n_devices, device->chip, device->wave_size);
    device->close(device);
}

static bool report_project(void)
{
    char root[PATH_MAX];
    struct error error;
    if (!project_root(root, sizeof root, &error))
        return report_missing("project", error.text);
    print_line("project", root);
    return true;
}

int command_doctor(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--help") == 0) {
        fputs(help, stdout);
        return STATUS_OK;
    }
    if (argc > 1) {
        fprintf(stderr, "hipcontract doctor: unexpected argument %s; it takes none\n", argv[1]);
        return STATUS_USAGE;
    }
    print_line("hipcontract", HIPCONTRACT_VERSION);
    bool compiler = report_compiler();
    report_other_compilers();
    bool llvm = report_llvm();
    report_runtime();
    bool project = report_project();
    return compiler && llvm && project ? STATUS_OK : STATUS_ENVIRONMENT;
}
