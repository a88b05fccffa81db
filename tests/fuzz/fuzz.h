/* What the fuzzers of the readers share. Each file fuzz_NAME.c is one reader: built with clang's libFuzzer (-Dfuzz=true)
 * it is fed with whatever makes new code run; built as a test it is fed with the files of corpus/NAME. */
#ifndef CINCH_TESTS_FUZZ_H
#define CINCH_TESTS_FUZZ_H

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/* libFuzzer's name for what it calls. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A file in memory with these bytes: its path, valid until the next call. The program ends when there is none. */
const char *fuzz_file(const uint8_t *data, size_t size);

/* A good file with edits, of four bytes each: a place (3, little-endian, modulo the length) and what stands there. The first
 * one, when its last byte is odd, cuts the file off at its place. So the good file can be made anew by the program that is
 * tested: inputs stay worth their while when formats change, and are small. Free with g_free. */
uint8_t *fuzz_edit(const uint8_t *good, size_t good_size, const uint8_t *edits, size_t size, size_t *length);

/* A reader that fails must say why, in a sentence that names the input; frees the error. */
void fuzz_expect_sentence(const void *result, GError *error);

#endif
