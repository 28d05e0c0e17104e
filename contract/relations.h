/*
 * Metamorphic relations of byte contracts: inputs are changed so that the outputs must follow in a way that needs no
 * reference, as the harness knows it without computing the kernel's result.
 */
#ifndef CONTRACT_RELATIONS_H
#define CONTRACT_RELATIONS_H

#include "contract/bytes_judging.h"

/* Launches beside that of all; 0: the contract is no relation. */
int relation_launches(const struct reg_bytes *contract);
/* Judges the launches of a contract's relation, once that of all is made; nothing where it is none. */
void relation_judge(struct judging *j);

/* The items that a permutation has at a shape. */
int64_t permutation_items(const struct reg_permutation *permutation, const struct reg_shape *shape);
/* The smallest and the largest power of two, of which one may be 0, by which a scaling may multiply a case's inputs such
 * that no intermediate result under- or overflows, at 2^0 neither. `all`: the outputs at 2^0, of which none that is a
 * normal number becomes another. False where there is no power but 0, with the reason. */
bool scaling_powers(const struct reg_scaling *scaling, const struct host_case *host, const struct outputs *all,
                    int powers[2], struct error *error);
/* A format with a narrower range than another. */
bool scaling_is_narrower(enum number_format format, enum number_format than);

#endif
