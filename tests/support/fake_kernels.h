/*
 * A registration for tests of the harness, y[r] = sum over c of x[r][c] w[c] in f32, and host kernels that compute it
 * rightly or with one fault each.
 */
#ifndef TESTS_FAKE_KERNELS_H
#define TESTS_FAKE_KERNELS_H

#include "contract/builds.h"
#include "contract/registry_list.h"
#include "tests/support/fake_device.h"

/* Tensors of the plan. */
enum { FAKE_X, FAKE_W, FAKE_Y };
/* Arguments: x, w, y, columns. One block of 64 work-items a row. */

/* The right kernel is "dot"; each other has one fault. Ends with a NULL name. */
extern const struct fake_kernel fake_kernels[];

/* A sound registration named "fake_dot" whose kernel is `symbol`. Shapes 1x33 (quick), 6x64, 9x300. */
struct registration fake_registration(const char *symbol);
/* Byte contracts for fake_dot that the right kernel holds: "rows" on 6x50 (quick), four windows; "ones" on 4x40, expected
 * bytes with a fill of their own. */
extern const struct reg_bytes fake_bytes[];
extern const size_t n_fake_bytes;
/* Relations that the right kernel holds, on 6x50 (quick). */
enum { FAKE_SCALE_X, FAKE_PERMUTE_ROWS, FAKE_PAD_COLUMNS };
extern const struct reg_bytes fake_relations[];
extern const size_t n_fake_relations;
/* Controls of fake_dot that are red on the right kernel. */
extern const struct control fake_controls[];
extern const size_t n_fake_controls;

/* "Compiles" to a text that names the source and the define, which is the kernel that runs in place of the registration's
 * symbol. A source named "broken.hip" does not compile. */
struct builder fake_builder(void);

#endif
