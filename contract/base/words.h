/*
 * Lists of words in arrays of a fixed size, as "v_a, v_b".
 */
#ifndef BASE_WORDS_H
#define BASE_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Whether the list holds the word of n_bytes. */
bool words_hold(const char *list, const char *word, size_t n_bytes);
/* Adds a word that the list does not hold yet: whole, or not at all where it has no room. Returns whether it was added. */
bool words_add(char *list, size_t capacity, const char *word, size_t n_bytes);
/* Adds the words of another list, each whole or not at all. */
void words_add_list(char *list, size_t capacity, const char *more);

#endif
