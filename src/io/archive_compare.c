/* Are two archives the same run? Bits are compared, not numbers: 0 and -0 differ, and a NaN equals itself. */
#include "io/archive_private.h"

#include "core/error.h"
#include <string.h>

#define NUMBER_SIZE G_ASCII_DTOSTR_BUF_SIZE

/* The first index at which two rows differ in any bit, or n. */
static size_t first_difference(const double *a, const double *b, size_t n)
{
	if (n == 0 || memcmp(a, b, n * sizeof(double)) == 0)
		return n;
	size_t i = 0;
	while (memcmp(&a[i], &b[i], sizeof(double)) == 0)
		i++;
	return i;
}

static char *describe(const char *what, size_t frame, double time, double a, double b)
{
	char at[NUMBER_SIZE], left[NUMBER_SIZE], right[NUMBER_SIZE];
	g_ascii_formatd(at, sizeof at, "%.9g", time);
	g_ascii_formatd(left, sizeof left, "%.17g", a);
	g_ascii_formatd(right, sizeof right, "%.17g", b);
	return g_strdup_printf("frame %zu (time %s): %s is %s against %s", frame, at, what, left, right);
}

static char *compare_rows(const Archive *a, const Archive *b, size_t frame)
{
	size_t n_columns = a->header.n_columns;
	if (memcmp(&a->time[frame], &b->time[frame], sizeof(double)) != 0)
		return describe("the time", frame, a->time[frame], a->time[frame], b->time[frame]);
	if (n_columns == 0)
		return NULL;
	const double *left = a->ledger + frame * n_columns, *right = b->ledger + frame * n_columns;
	size_t column = first_difference(left, right, n_columns);
	if (column == n_columns)
		return NULL;
	g_autofree char *what = g_strdup_printf("the ledger's \"%s\"", a->header.columns[column].name);
	return describe(what, frame, a->time[frame], left[column], right[column]);
}

typedef bool (*ReadFrame)(Archive *archive, size_t frame, double *out, GError **error);

typedef struct {
	Archive *a, *b;
	double *left, *right; /* one frame of each: (n_vertices, 3) */
} Pair;

static bool compare_vertices(
    Pair *pair, size_t frame, const char *kind, ReadFrame read, char **difference, GError **error)
{
	size_t n = pair->a->header.n_vertices * 3;
	if (!read(pair->a, frame, pair->left, error) || !read(pair->b, frame, pair->right, error))
		return false;
	size_t i = first_difference(pair->left, pair->right, n);
	if (i < n) {
		g_autofree char *what = g_strdup_printf("the %s of vertex %zu along %c", kind, i / 3, "xyz"[i % 3]);
		*difference = describe(what, frame, pair->a->time[frame], pair->left[i], pair->right[i]);
	}
	return true;
}

static char *compare_headers(const ArchiveHeader *a, const ArchiveHeader *b)
{
	if (a->n_vertices != b->n_vertices)
		return g_strdup_printf("%zu vertices against %zu", a->n_vertices, b->n_vertices);
	if (a->n_columns != b->n_columns)
		return g_strdup_printf("%zu columns in the ledger against %zu", a->n_columns, b->n_columns);
	for (size_t i = 0; i < a->n_columns; i++) {
		const ArchiveColumn *left = &a->columns[i], *right = &b->columns[i];
		if (strcmp(left->name, right->name) != 0 || strcmp(left->unit, right->unit) != 0)
			return g_strdup_printf("column %zu of the ledger is \"%s\" in %s against \"%s\" in %s", i,
			    left->name, left->unit, right->name, right->unit);
	}
	return NULL;
}

static bool compare_frames(Pair *pair, char **difference, GError **error)
{
	size_t frames = MIN(pair->a->n_frames, pair->b->n_frames);
	for (size_t frame = 0; frame < frames && *difference == NULL; frame++) {
		if ((*difference = compare_rows(pair->a, pair->b, frame)))
			break;
		if (!compare_vertices(pair, frame, "position", archive_read_positions, difference, error))
			return false;
		if (*difference == NULL &&
		    !compare_vertices(pair, frame, "velocity", archive_read_velocities, difference, error))
			return false;
	}
	if (*difference == NULL && pair->a->n_frames != pair->b->n_frames)
		*difference = g_strdup_printf("%zu frames against %zu, the first %zu of them equal", pair->a->n_frames,
		    pair->b->n_frames, frames);
	return true;
}

bool archive_compare(const char *path_a, const char *path_b, char **difference, GError **error)
{
	*difference = NULL;
	g_autoptr(Archive) a = archive_open(path_a, error);
	if (a == NULL)
		return false;
	g_autoptr(Archive) b = archive_open(path_b, error);
	if (b == NULL)
		return false;
	g_autofree char *found = compare_headers(&a->header, &b->header);
	if (found == NULL) {
		g_autofree double *left = g_new(double, MAX(a->header.n_vertices, 1) * 3);
		g_autofree double *right = g_new(double, MAX(a->header.n_vertices, 1) * 3);
		Pair pair = {a, b, left, right};
		if (!compare_frames(&pair, &found, error))
			return false;
	}
	if (found)
		*difference = g_strdup_printf("%s and %s differ: %s", path_a, path_b, found);
	return true;
}
