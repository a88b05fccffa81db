/* A state as a file.
 *
 *     magic, version, byte order, length of the file | head | arrays, each as (entries, bytes per entry, data) |
 * checksum
 *
 * Numbers and structs are as this machine has them. Nothing in the file is believed before its checksum (SHA-256 of all
 * that precedes it) is right, and no length before it fits in what is left of the file. */
#include "sim/state.h"

#include "core/error.h"
#include "io/files.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAGIC "CINCHCP\n"
#define VERSION 5u
#define BYTE_ORDER_MARK 0x01020304u
enum { CHECKSUM = 32 };

typedef struct {
	char magic[8];
	uint32_t version, byte_order;
	uint64_t length; /* [byte] of the whole file */
} Preamble;

typedef struct {
	uint64_t n, size; /* entries, bytes of each */
} Extent;

static GArray **array_of(const State *state, int i)
{
	return (GArray **)(void *)((char *)(void *)state + state_arrays[i].offset);
}

static void sum_up(const void *data, size_t length, uint8_t *digest)
{
	GChecksum *sum = g_checksum_new(G_CHECKSUM_SHA256);
	gsize size = CHECKSUM;
	g_checksum_update(sum, data, (gssize)length);
	g_checksum_get_digest(sum, digest, &size);
	g_checksum_free(sum);
}

static void put(GString *out, const void *data, uint64_t n, uint64_t size)
{
	Extent extent = {n, size};
	g_string_append_len(out, (const char *)&extent, sizeof extent);
	g_string_append_len(out, data, (gssize)(n * size));
}

bool state_save(const State *state, const char *path, GError **error)
{
	g_autoptr(GString) out = g_string_new(NULL);
	Preamble preamble = {.version = VERSION, .byte_order = BYTE_ORDER_MARK};
	uint8_t digest[CHECKSUM];
	memcpy(preamble.magic, MAGIC, sizeof preamble.magic);
	g_string_append_len(out, (const char *)&preamble, sizeof preamble);
	put(out, &state->head, 1, sizeof state->head);
	for (int i = 0; i < STATE_N_ARRAYS; i++)
		put(out, (*array_of(state, i))->data, (*array_of(state, i))->len, state_arrays[i].size);
	preamble.length = out->len + CHECKSUM;
	memcpy(out->str, &preamble, sizeof preamble);
	sum_up(out->str, out->len, digest);
	g_string_append_len(out, (const char *)digest, sizeof digest);
	return files_replace(path, out->str, out->len, error);
}

/* What is left to read. */
typedef struct {
	const char *data;
	size_t length;
} Rest;

/* The next part, which has entries of `size` bytes; NULL when it has not, or is not whole. */
static const void *take(Rest *rest, uint64_t size, uint64_t *n)
{
	Extent extent;
	if (rest->length < sizeof extent)
		return NULL;
	memcpy(&extent, rest->data, sizeof extent);
	size_t left = rest->length - sizeof extent;
	if (extent.size != size || extent.n > left / size || extent.n > G_MAXUINT)
		return NULL;
	const char *data = rest->data + sizeof extent;
	*n = extent.n;
	rest->data = data + extent.n * size;
	rest->length = left - extent.n * size;
	return data;
}

/* NULL when it is a checkpoint file, else why not. */
static const char *find_fault(const char *data, size_t length)
{
	Preamble preamble;
	uint8_t digest[CHECKSUM];
	if (length < sizeof preamble || memcmp(data, MAGIC, sizeof preamble.magic) != 0)
		return "is not a checkpoint of Cinch";
	memcpy(&preamble, data, sizeof preamble);
	if (preamble.byte_order != BYTE_ORDER_MARK)
		return "was written on a machine with another order of bytes";
	if (preamble.version != VERSION)
		return "is a checkpoint of another version of Cinch";
	if (length < sizeof preamble + CHECKSUM || preamble.length != length)
		return length < preamble.length ? "is cut off" : "is longer than it says";
	sum_up(data, length - CHECKSUM, digest);
	if (memcmp(digest, data + length - CHECKSUM, CHECKSUM) != 0)
		return "is damaged: its checksum is wrong";
	return NULL;
}

static State *parse(const char *data, size_t length)
{
	Rest rest = {data + sizeof(Preamble), length - sizeof(Preamble) - CHECKSUM};
	uint64_t n = 0;
	g_autoptr(State) state = state_new();
	const void *part = take(&rest, sizeof state->head, &n);
	if (part == NULL || n != 1)
		return NULL;
	memcpy(&state->head, part, sizeof state->head);
	for (int i = 0; i < STATE_N_ARRAYS; i++) {
		part = take(&rest, state_arrays[i].size, &n);
		if (part == NULL)
			return NULL;
		if (n > 0)
			g_array_append_vals(*array_of(state, i), part, (guint)n);
	}
	return rest.length == 0 ? g_steal_pointer(&state) : NULL;
}

State *state_load(const char *path, GError **error)
{
	GStatBuf status;
	g_autofree char *data = NULL;
	gsize length = 0;
	g_autoptr(GError) problem = NULL;
	const char *fault = NULL;
	State *state = NULL;
	if (g_stat(path, &status) != 0)
		fault = errno == ENOENT ? "there is no such file" : g_strerror(errno);
	else if (!S_ISREG(status.st_mode))
		fault = "is not a regular file";
	else if (!g_file_get_contents(path, &data, &length, &problem))
		fault = problem->message;
	else
		fault = find_fault(data, length);
	if (fault == NULL && (state = parse(data, length)) == NULL)
		fault = "is a checkpoint of another version of Cinch";
	if (fault != NULL)
		error_set(error, CINCH_ERROR_INPUT, "%s: %s", path, fault);
	return state;
}
