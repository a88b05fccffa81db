/* What is whole in an archive that was cut off or damaged.
 *
 * The header is at the beginning of the file, frames follow in their order, and each has chunks of its own with a checksum
 * (that of deflate); HDF5's index of them has checksums, too. So what is lost is what lies where the damage is. Times and
 * the ledger are plain numbers in chunks that frames share; a frame's time is there twice, and both must agree. */
#include "io/archive.h"

#include "core/error.h"
#include "io/archive_vet.h"
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SUPERBLOCK = 36, END_AT = 28, BLOCK = 1 << 20 };

/* Where HDF5 says that the file ends, which it insists on; 0 when it says nothing. */
static uint64_t stated_end(int file)
{
	static const unsigned char signature[] = {0x89, 'H', 'D', 'F', '\r', '\n', 0x1a, '\n'};
	unsigned char start[SUPERBLOCK];
	uint64_t end = 0;
	if (pread(file, start, sizeof start, 0) != (ssize_t)sizeof start ||
	    memcmp(start, signature, sizeof signature) != 0 || start[8] < 2 || start[9] != sizeof end)
		return 0;
	for (int i = (int)sizeof end - 1; i >= 0; i--)
		end = end << 8 | start[END_AT + i];
	return end;
}

static bool copy_all(int from, int to)
{
	g_autofree char *block = g_malloc(BLOCK);
	for (;;) {
		ssize_t length = read(from, block, BLOCK);
		if (length <= 0)
			return length == 0;
		for (ssize_t done = 0, written; done < length; done += written)
			if ((written = write(to, block + done, (size_t)(length - done))) < 0)
				return false;
	}
}

/* A copy with zeros, which take no room, where the rest is missing. */
static bool make_up(int from, uint64_t end, const char *copy, GError **error)
{
	g_unlink(copy);
	int to = g_open(copy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	bool good = to >= 0 && copy_all(from, to) && ftruncate(to, (off_t)end) == 0;
	int reason = errno;
	if (to >= 0)
		close(to);
	return good || error_set(error, CINCH_ERROR_FAILED, "%s: could not be written: %s", copy, g_strerror(reason));
}

/* What to read: the file itself, or *copy (g_free), which is to be removed. */
static const char *readable_name(const char *damaged, const char *path, char **copy, GError **error)
{
	GStatBuf status;
	int file = g_open(damaged, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
	if (file < 0 || fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
		error_set(error, CINCH_ERROR_INPUT, "%s: %s", damaged,
		    file < 0 ? g_strerror(errno) : "is not a regular file");
		if (file >= 0)
			close(file);
		return NULL;
	}
	uint64_t end = stated_end(file), size = (uint64_t)status.st_size;
	const char *name = damaged;
	if (end > size) {
		*copy = g_strconcat(path, ".mended", NULL);
		name = end < G_MAXINT64 && make_up(file, end, *copy, error) ? *copy : NULL;
	}
	close(file);
	return name;
}

typedef struct {
	Archive *from;
	ArchiveWriter *to;
	double *position, *velocity; /* of one frame */
	GPtrArray *values;           /* double *, one for each field */
	double last;                 /* [s] time of the last good frame */
} Transfer;

/* A time that is not a number, that goes back, or that the ledger does not confirm, is none. */
static bool has_time(const Transfer *transfer, size_t frame)
{
	const Archive *from = transfer->from;
	double time = from->time[frame];
	int column = archive_column(&from->header, "time");
	return isfinite(time) && time > transfer->last &&
	       (column < 0 || from->ledger[frame * from->header.n_columns + (size_t)column] == time);
}

static bool is_good(const Transfer *transfer, size_t frame)
{
	return has_time(transfer, frame) && archive_read_positions(transfer->from, frame, transfer->position, NULL) &&
	       archive_read_velocities(transfer->from, frame, transfer->velocity, NULL);
}

static bool take_over(Transfer *transfer, size_t frame, GError **error)
{
	Archive *from = transfer->from;
	for (size_t i = 0; i < from->header.n_fields; i++) {
		double *values = transfer->values->pdata[i];
		size_t size = archive_field_size(&from->header, i);
		if (archive_read_field(from, i, frame, values, NULL))
			continue;
		for (size_t k = 0; k < size; k++)
			values[k] = NAN;
	}
	transfer->last = from->time[frame];
	return archive_append_fields(transfer->to, (double **)transfer->values->pdata, error) &&
	       archive_append(transfer->to, from->time[frame], transfer->position, transfer->velocity,
	           from->ledger + frame * from->header.n_columns, error);
}

static bool transfer_frames(Transfer *transfer, ArchiveSalvage *result, GError **error)
{
	const Archive *from = transfer->from;
	for (size_t frame = 0; frame < from->n_frames; frame++) {
		if (!is_good(transfer, frame)) {
			g_array_append_val(result->lost, frame);
			continue;
		}
		if (!take_over(transfer, frame, error))
			return false;
		result->from = result->n_saved++ == 0 ? from->time[frame] : result->from;
		result->until = from->time[frame];
	}
	return true;
}

static bool has_any(const Transfer *transfer)
{
	for (size_t frame = 0; frame < transfer->from->n_frames; frame++)
		if (is_good(transfer, frame))
			return true;
	return false;
}

static bool save(Archive *from, const char *path, ArchiveSalvage *result, GError **error)
{
	const ArchiveHeader *header = &from->header;
	g_autofree double *position = g_new(double, 3 * header->n_vertices + 1);
	g_autofree double *velocity = g_new(double, 3 * header->n_vertices + 1);
	g_autoptr(GPtrArray) values = g_ptr_array_new_with_free_func(g_free);
	for (size_t i = 0; i < header->n_fields; i++)
		g_ptr_array_add(values, g_new(double, archive_field_size(header, i) + 1));
	Transfer transfer = {from, NULL, position, velocity, values, -INFINITY};
	if (!has_any(&transfer))
		return error_set(error, CINCH_ERROR_INPUT, "has no frame that is whole");
	transfer.to = archive_create(path, header, error);
	if (transfer.to == NULL)
		return false;
	if (!transfer_frames(&transfer, result, error)) {
		archive_abandon(transfer.to);
		return false;
	}
	result->n_frames = from->n_frames;
	result->ended = from->closed;
	/* Where frames are missing it has not come to its end: it can go on. */
	if (from->closed && result->lost->len == 0)
		return archive_finish(transfer.to, from->summary, error);
	archive_abandon(transfer.to);
	return true;
}

bool archive_salvage(const char *damaged, const char *path, ArchiveSalvage *result, GError **error)
{
	g_autofree char *copy = NULL;
	g_autoptr(GError) problem = NULL;
	*result = (ArchiveSalvage){.lost = g_array_new(FALSE, FALSE, sizeof(size_t))};
	const char *name = readable_name(damaged, path, &copy, error);
	bool good = false;
	if (name != NULL) {
		g_autoptr(Archive) from = archive_vet(name, &problem) ? archive_open_lenient(name, &problem) : NULL;
		good = from != NULL && save(from, path, result, &problem);
	}
	if (copy != NULL)
		g_unlink(copy);
	if (problem == NULL)
		return good;
	if (problem->code != CINCH_ERROR_INPUT) {
		g_propagate_error(error, g_steal_pointer(&problem));
		return false;
	}
	/* Of the file that the user named, not of its copy. */
	size_t prefix = g_str_has_prefix(problem->message, name) ? strlen(name) + strlen(": ") : 0;
	return error_set(error, CINCH_ERROR_INPUT, "%s: nothing can be saved of it: it %s", damaged, problem->message + prefix);
}

void archive_salvage_clear(ArchiveSalvage *result)
{
	g_clear_pointer(&result->lost, g_array_unref);
}
