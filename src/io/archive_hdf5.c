/* HDF5's errors and the few types that writer and reader share. */
#include "io/archive_private.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define ROOM (8 * 1024 * 1024) /* [byte] its tables for a file take 3 MB, and a frame goes through in parts of 1 MB */

const char *const archive_body_count_names[ARCHIVE_BODY_COUNTS] = {
    "first_vertex",
    "n_vertices",
    "first_triangle",
    "n_triangles",
    "first_edge",
    "n_edges",
    "first_particle",
    "n_particles",
};

static _Thread_local struct {
	int system;            /* errno of the last failed system call that HDF5 tells of, or 0 */
	char description[256]; /* HDF5's innermost description of the first failure */
} last;

void archive_id_clear(hid_t *id)
{
	if (*id > 0)
		H5Idec_ref(*id);
	*id = H5I_INVALID_HID;
}

/* HDF5 keeps no errno; its drivers write it into the text of the stack's innermost entries. */
static herr_t note_entry(unsigned n, const H5E_error2_t *entry, void *data)
{
	(void)data;
	if (entry->desc == NULL)
		return 0;
	if (n == 0 && last.description[0] == '\0')
		g_strlcpy(last.description, entry->desc, sizeof last.description);
	const char *found = strstr(entry->desc, "errno = ");
	int system = 0;
	if (found && sscanf(found, "errno = %d", &system) == 1 && system > 0)
		last.system = system;
	return 0;
}

/* HDF5 calls this at the end of each of its functions that failed, in place of printing. */
static herr_t note_failure(hid_t stack, void *data)
{
	return H5Ewalk2(stack, H5E_WALK_UPWARD, note_entry, data);
}

bool archive_has_room(void)
{
	void *room = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (room == MAP_FAILED) {
		last.system = ENOMEM;
		errno = ENOMEM;
		return false;
	}
	munmap(room, ROOM);
	return true;
}

ArchiveQuiet archive_quiet_begin(void)
{
	static bool started;
	if (!started) {
		/* A file that could not be written any more is never closed (see archive_abandon), and HDF5 must not
		 * try it at exit. It listens to this only before any other call. */
		H5dont_atexit();
		/* Nor does it survive that there is no memory for its own beginning: that ends here, with a sentence. */
		if (!archive_has_room())
			g_error("failed to allocate %d bytes", ROOM);
		started = true;
	}
	memset(&last, 0, sizeof last);
	ArchiveQuiet quiet = {0};
	quiet.saved = H5Eget_auto2(H5E_DEFAULT, &quiet.function, &quiet.data) >= 0;
	H5Eset_auto2(H5E_DEFAULT, note_failure, NULL);
	return quiet;
}

void archive_quiet_end(ArchiveQuiet *quiet)
{
	if (quiet->saved)
		H5Eset_auto2(H5E_DEFAULT, quiet->function, quiet->data);
}

bool archive_any_failure(void)
{
	return last.system != 0 || last.description[0] != '\0';
}

const char *archive_reason(void)
{
	if (last.system != 0)
		return g_strerror(last.system);
	return last.description[0] != '\0' ? last.description : "HDF5 gives no reason";
}

/* A piece of metadata whose checksum is wrong is read again: its writer may be at it. HDF5 doubles a pause of one
 * nanosecond each time and would try a hundred times, longer than anyone lives; this is 17 ms. */
#define READ_ATTEMPTS 24

hid_t archive_access(void)
{
	hid_t access = H5Pcreate(H5P_FILE_ACCESS);
	/* Locks are a courtesy: some network file systems have none, and a run must not fail for that. */
	if (access < 0 || H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0 ||
	    H5Pset_metadata_read_attempts(access, READ_ATTEMPTS) < 0 || H5Pset_file_locking(access, true, true) < 0)
		archive_id_clear(&access);
	return access;
}

hid_t archive_string_type(size_t size)
{
	hid_t type = H5Tcopy(H5T_C_S1);
	if (type < 0 || H5Tset_size(type, size) < 0 || H5Tset_strpad(type, H5T_STR_NULLPAD) < 0 ||
	    H5Tset_cset(type, H5T_CSET_UTF8) < 0)
		archive_id_clear(&type);
	return type;
}

hid_t archive_body_type(size_t name_size, size_t material_size, hid_t count_type)
{
	ARCHIVE_ID name_type = archive_string_type(name_size);
	ARCHIVE_ID material_type = archive_string_type(material_size);
	hid_t type = H5Tcreate(H5T_COMPOUND, name_size + material_size + ARCHIVE_BODY_COUNTS * sizeof(uint32_t));
	bool ok = type >= 0 && H5Tinsert(type, "name", 0, name_type) >= 0 &&
	          H5Tinsert(type, "material", name_size, material_type) >= 0;
	for (size_t k = 0; ok && k < ARCHIVE_BODY_COUNTS; k++)
		ok = H5Tinsert(type, archive_body_count_names[k], name_size + material_size + k * sizeof(uint32_t),
		         count_type) >= 0;
	if (!ok)
		archive_id_clear(&type);
	return type;
}
