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

static char *compare_rows(const Archive *archive, size_t frame, const ArchiveFrame *other)
{
	size_t n_columns = archive->header.n_columns;
	double time = archive->time[frame];
	if (memcmp(&time, &other->time, sizeof(double)) != 0)
		return describe("the time", frame, time, time, other->time);
	const double *row = archive->ledger + frame * n_columns;
	size_t column = first_difference(row, other->ledger, n_columns);
	if (column == n_columns)
		return NULL;
	g_autofree char *what = g_strdup_printf("the ledger's \"%s\"", archive->header.columns[column].name);
	return describe(what, frame, time, row[column], other->ledger[column]);
}

static char *compare_vertices(
    const Archive *archive, size_t frame, const char *kind, const double *ours, const double *theirs)
{
	size_t n = archive->header.n_vertices * 3, i = first_difference(ours, theirs, n);
	if (i == n)
		return NULL;
	g_autofree char *what = g_strdup_printf("the %s of vertex %zu along %c", kind, i / 3, "xyz"[i % 3]);
	return describe(what, frame, archive->time[frame], ours[i], theirs[i]);
}

bool archive_match_frame(
    Archive *archive, size_t frame, const ArchiveFrame *other, char **difference, GError **error)
{
	g_autofree double *ours = g_new(double, MAX(archive->header.n_vertices, 1) * 3);
	if ((*difference = compare_rows(archive, frame, other)))
		return true;
	if (!archive_read_positions(archive, frame, ours, error))
		return false;
	if ((*difference = compare_vertices(archive, frame, "position", ours, other->position)))
		return true;
	if (!archive_read_velocities(archive, frame, ours, error))
		return false;
	*difference = compare_vertices(archive, frame, "velocity", ours, other->velocity);
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

static bool compare_frames(Archive *a, Archive *b, char **difference, GError **error)
{
	size_t frames = MIN(a->n_frames, b->n_frames), n = MAX(b->header.n_vertices, 1) * 3;
	g_autofree double *position = g_new(double, n), *velocity = g_new(double, n);
	for (size_t frame = 0; frame < frames && *difference == NULL; frame++) {
		ArchiveFrame other = {b->time[frame], position, velocity, b->ledger + frame * b->header.n_columns};
		if (!archive_read_positions(b, frame, position, error) ||
		    !archive_read_velocities(b, frame, velocity, error) ||
		    !archive_match_frame(a, frame, &other, difference, error))
			return false;
	}
	if (*difference == NULL && a->n_frames != b->n_frames)
		*difference = g_strdup_printf("%zu frames against %zu, the first %zu of them equal", a->n_frames,
		    b->n_frames, frames);
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
	if (found == NULL && !compare_frames(a, b, &found, error))
		return false;
	if (found)
		*difference = g_strdup_printf("%s and %s differ: %s", path_a, path_b, found);
	return true;
}

/* SHA-256 of what `cinch diff` compares. */
bool archive_hash(Archive *archive, char **motion, char **ledger, GError **error)
{
	size_t n = archive->header.n_vertices * 3, n_columns = archive->header.n_columns;
	g_autofree double *row = g_new(double, n + 1);
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256), rows = g_checksum_new(G_CHECKSUM_SHA256);
	for (size_t frame = 0; frame < archive->n_frames; frame++) {
		g_checksum_update(sum, (const guchar *)&archive->time[frame], sizeof(double));
		if (!archive_read_positions(archive, frame, row, error))
			return false;
		g_checksum_update(sum, (const guchar *)row, (gssize)(n * sizeof(double)));
		if (!archive_read_velocities(archive, frame, row, error))
			return false;
		g_checksum_update(sum, (const guchar *)row, (gssize)(n * sizeof(double)));
		g_checksum_update(
		    rows, (const guchar *)(archive->ledger + frame * n_columns), (gssize)(n_columns * sizeof(double)));
	}
	*motion = g_strdup(g_checksum_get_string(sum));
	*ledger = g_strdup(g_checksum_get_string(rows));
	return true;
}
