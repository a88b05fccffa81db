/* Logs of a motion, whose seals are right: edits of the blocks of a good one, sealed again. The first byte of the input says in
 * which block, the rest is as fuzz_edit() takes it; an empty input leaves the good one. */
#include "fuzz.h"
#include "io/motion.h"
#include "sim/judgement.h"
#include <string.h>
#include <unistd.h>

static const char head[] =
    "{\"version\": \"0\", \"scene\": \"s\", \"length_unit\": \"m\", \"from\": 0, \"reach\": 0.1, \"vertices\": 7, \"triangles\": 1,"
    " \"edges\": 1, \"particles\": 2, \"bodies\": [{\"name\": \"a\", \"first_vertex\": 0, \"vertices\": 5, \"thickness\": 0},"
    " {\"name\": \"b\", \"first_vertex\": 5, \"vertices\": 2, \"thickness\": 0.01}], \"may_touch\": [[1, 1]]}";
static const char gone[] = "{\"body\": 1, \"time\": 1}";
static const char done[] = "{\"to\": 2, \"commits\": 4, \"complete\": true, \"motion_fingerprint\": \"0\"}";
/* Indices are bytes here: a triangle, an edge, two particles. */
static const uint8_t corner[] = {0, 1, 2, 3, 4, 5, 6};

enum { VERTICES = 7, COMMITS = 2, BLOCKS = 7 };

static GByteArray *mesh(void)
{
	GByteArray *bytes = g_byte_array_new();
	for (size_t i = 0; i < sizeof corner; i++)
		g_byte_array_append(bytes, (const uint8_t[]){corner[i], 0, 0, 0}, 4);
	g_byte_array_append(bytes, (const uint8_t[VERTICES]){0}, VERTICES);
	return bytes;
}

static GByteArray *motion(int commits, double time)
{
	GByteArray *bytes = g_byte_array_new();
	for (int i = 0; i < commits + VERTICES; i++) {
		uint8_t record[MOTION_RECORD];
		uint32_t v = (uint32_t)(i < commits ? i : i - commits);
		const double x[3] = {v, v % 2, 0.5 * v};
		motion_put_record(record, v, i < commits ? time - 0.5 : time, x);
		g_byte_array_append(bytes, record, sizeof record);
	}
	return bytes;
}

static GByteArray *text(const char *string)
{
	return g_byte_array_append(g_byte_array_new(), (const uint8_t *)string, (guint)strlen(string));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const kinds[BLOCKS] = {"HEAD", "MESH", "MOVE", "MOVE", "GONE", "MOVE", "DONE"};
	GByteArray *block[BLOCKS] = {text(head), mesh(), motion(0, 0.0), motion(COMMITS, 1.0), text(gone), motion(COMMITS, 2.0), text(done)};
	const char *path = fuzz_file(NULL, 0);
	GError *error = NULL;
	MotionWriter *writer = motion_create(path, NULL);
	for (int i = 0; i < BLOCKS; i++) {
		bool here = size > 0 && data[0] % BLOCKS == i;
		size_t length = block[i]->len;
		uint8_t *bytes = here ? fuzz_edit(block[i]->data, block[i]->len, data + 1, size - 1, &length) : NULL;
		size_t width = kinds[i][0] == 'M' && kinds[i][1] == 'O' && length % MOTION_RECORD == 0 ? MOTION_RECORD : 1;
		motion_write(writer, kinds[i], width, here ? bytes : block[i]->data, length, NULL);
		g_free(bytes);
		g_byte_array_unref(block[i]);
	}
	motion_close(writer, NULL);
	Judgement *judgement = judgement_of_log(path, 1, &error);
	fuzz_expect_sentence(judgement, error);
	judgement_free(judgement);
	return 0;
}
