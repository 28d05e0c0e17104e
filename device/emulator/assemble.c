/*
 * llvm-c has a disassembler and no assembler of its own: the text goes through a module that holds nothing but inline
 * assembly, in a section of its own, and the code is read out of the object file that LLVM makes of it.
 */
#include "device/emulator/assemble.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <llvm-c/Core.h>
#include <llvm-c/Object.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>

#include "device/emulator/llvm_target.h"

struct assembler {
    LLVMTargetMachineRef machine;
};

#define SECTION ".instruction"

static void initialise_target(void)
{
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmParser();
    LLVMInitializeAMDGPUAsmPrinter();
}

static LLVMTargetMachineRef open_machine(const struct chip *chip, uint32_t n_lanes)
{
    char features[LLVM_FEATURES_BYTES], *message = NULL;
    LLVMTargetRef target;
    if (LLVMGetTargetFromTriple(LLVM_TRIPLE, &target, &message)) {
        LLVMDisposeMessage(message);
        return NULL;
    }
    llvm_features(chip, n_lanes, features);
    return LLVMCreateTargetMachine(target, LLVM_TRIPLE, chip->name, features, LLVMCodeGenLevelNone, LLVMRelocPIC,
                                   LLVMCodeModelDefault);
}

struct assembler *assembler_open(const struct chip *chip, uint32_t n_lanes, struct error *error)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, initialise_target);
    LLVMTargetMachineRef machine = open_machine(chip, n_lanes);
    struct assembler *assembler = machine ? malloc(sizeof *assembler) : NULL;
    if (!assembler) {
        if (machine)
            LLVMDisposeTargetMachine(machine);
        error_set(error, STATUS_ENVIRONMENT, "this LLVM has no assembler for %s; build with another LLVM_CONFIG",
                  chip->name);
        return NULL;
    }
    assembler->machine = machine;
    return assembler;
}

void assembler_close(struct assembler *assembler)
{
    if (!assembler)
        return;
    LLVMDisposeTargetMachine(assembler->machine);
    free(assembler);
}

/* Without a handler LLVM prints what it refuses, and ends the process. */
static void note_refusal(LLVMDiagnosticInfoRef info, void *context)
{
    bool *refused = context;
    *refused |= LLVMGetDiagInfoSeverity(info) == LLVMDSError;
}

static size_t copy_section(LLVMBinaryRef object, uint8_t bytes[ASSEMBLED_BYTES])
{
    size_t size = 0;
    LLVMSectionIteratorRef at = LLVMObjectFileCopySectionIterator(object);
    for (; !LLVMObjectFileIsSectionIteratorAtEnd(object, at); LLVMMoveToNextSection(at)) {
        const char *name = LLVMGetSectionName(at);
        if (!name || strcmp(name, SECTION) != 0 || LLVMGetSectionSize(at) > ASSEMBLED_BYTES)
            continue;
        size = LLVMGetSectionSize(at);
        memcpy(bytes, LLVMGetSectionContents(at), size);
    }
    LLVMDisposeSectionIterator(at);
    return size;
}

static size_t emit(const struct assembler *assembler, LLVMContextRef context, LLVMModuleRef module,
                   uint8_t bytes[ASSEMBLED_BYTES])
{
    LLVMMemoryBufferRef file = NULL;
    char *message = NULL;
    size_t size = 0;
    if (LLVMTargetMachineEmitToMemoryBuffer(assembler->machine, module, LLVMObjectFile, &message, &file)) {
        LLVMDisposeMessage(message);
        return 0;
    }
    LLVMBinaryRef object = LLVMCreateBinary(file, context, &message);
    if (object) {
        size = copy_section(object, bytes);
        LLVMDisposeBinary(object);
    } else {
        LLVMDisposeMessage(message);
    }
    LLVMDisposeMemoryBuffer(file);
    return size;
}

size_t assembler_one(struct assembler *assembler, const char *text, uint8_t bytes[ASSEMBLED_BYTES])
{
    char source[400];
    bool refused = false;
    int length = snprintf(source, sizeof source, ".section %s,\"ax\"\n%s\n", SECTION, text);
    if (length < 0 || (size_t)length >= sizeof source || strpbrk(text, "\n;"))
        return 0;
    LLVMContextRef context = LLVMContextCreate();
    LLVMContextSetDiagnosticHandler(context, note_refusal, &refused);
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("instruction", context);
    LLVMSetTarget(module, LLVM_TRIPLE);
    LLVMSetModuleInlineAsm2(module, source, (size_t)length);
    size_t size = emit(assembler, context, module, bytes);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    return refused ? 0 : size;
}
