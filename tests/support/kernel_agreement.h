/*
 * Kernels of tests/kernels/agreement/ on an emulated chip against the same sources compiled for the host, byte for byte,
 * with every check of the sanitizer on: none may find anything.
 */
#ifndef SUPPORT_KERNEL_AGREEMENT_H
#define SUPPORT_KERNEL_AGREEMENT_H

#include <stddef.h>
#include <stdio.h>

#include "tests/support/kernel_module.h"

struct kernel_tally {
    size_t n_run, n_agreed;
};

/* Compiles every source as build says, runs its kernels and compares; one line to out for each that does not agree: kernel,
 * build, first differing word and its work-item, got and expected, or why it did not run. */
void kernels_agree(const struct kernel_build *build, FILE *out, struct kernel_tally *tally);

#endif
