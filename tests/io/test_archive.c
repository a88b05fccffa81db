/* The archive: round trips bit for bit, writers that die, full disks, files that lie. */
#include "archive_sample.h"
#include "core/error.h"
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <hdf5.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static char *directory;

static void set_up(void)
{
	directory = g_dir_make_tmp("cinch-archive-XXXXXX", NULL);
	cr_assert_not_null(directory);
}

static void tear_down(void)
{
	GDir *listing = g_dir_open(directory, 0, NULL);
	for (const char *name = g_dir_read_name(listing); name; name = g_dir_read_name(listing)) {
		g_autofree char *path = g_build_filename(directory, name, NULL);
		g_remove(path);
	}
	g_dir_close(listing);
	g_rmdir(directory);
	g_free(directory);
}

TestSuite(archive, .init = set_up, .fini = tear_down, .timeout = 120);

static char *in_directory(const char *name)
{
	return g_build_filename(directory, name, NULL);
}

#define assert_no_error(error) cr_assert_null(error, "%s", (error) ? (error)->message : "")

static char *write_sample(const char *name, const ArchiveHeader *header, size_t n_frames)
{
	char *path = in_directory(name);
	GError *error = NULL;
	ArchiveWriter *writer = archive_create(path, header, &error);
	assert_no_error(error);
	for (size_t frame = 0; frame < n_frames; frame++) {
		cr_assert(sample_append(writer, header, frame, &error));
		cr_assert_eq(archive_frames_written(writer), frame + 1);
	}
	cr_assert(archive_finish(writer, "{\"steps\": 12}", &error));
	assert_no_error(error);
	return path;
}

static void assert_frame(Archive *archive, size_t frame)
{
	GError *error = NULL;
	size_t n = 3 * archive->header.n_vertices;
	g_autofree double *expected = g_new(double, n + 1), *found = g_new(double, n + 1);
	cr_assert(archive_read_positions(archive, frame, found, &error), "%s", error ? error->message : "");
	sample_fill(expected, n, frame, 0);
	cr_assert_eq(memcmp(expected, found, n * sizeof(double)), 0, "position of frame %zu", frame);
	cr_assert(archive_read_velocities(archive, frame, found, &error), "%s", error ? error->message : "");
	sample_fill(expected, n, frame, 1);
	cr_assert_eq(memcmp(expected, found, n * sizeof(double)), 0, "velocity of frame %zu", frame);
	size_t n_columns = archive->header.n_columns;
	g_autofree double *row = g_new(double, n_columns + 1);
	sample_fill(row, n_columns, frame, 2);
	if (n_columns > 0)
		cr_assert_eq(memcmp(row, archive->ledger + frame * n_columns, n_columns * sizeof(double)), 0);
	cr_assert_eq(archive->time[frame], sample_time(frame));
}

static void assert_frames(const char *path, size_t n_frames, bool closed)
{
	GError *error = NULL;
	g_autoptr(Archive) archive = archive_open(path, &error);
	assert_no_error(error);
	cr_assert_eq(archive->n_frames, n_frames, "%zu frames, not %zu", archive->n_frames, n_frames);
	cr_assert_eq(archive->closed, closed);
	for (size_t frame = 0; frame < n_frames; frame++)
		assert_frame(archive, frame);
}

/* Opening must fail with one sentence that names the file. */
static void assert_refused(const char *path, const char *part_of_message)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Archive) archive = archive_open(path, &error);
	cr_assert_null(archive);
	cr_assert_not_null(error);
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
	cr_assert(g_str_has_prefix(error->message, path), "%s", error->message);
	cr_assert_not_null(strstr(error->message, part_of_message), "%s", error->message);
}

Test(archive, header_round_trip)
{
	ArchiveHeader header = sample_header();
	g_autofree char *path = write_sample("a.h5", &header, 3);
	g_autoptr(Archive) archive = archive_open(path, NULL);
	cr_assert_not_null(archive);
	const ArchiveHeader *found = &archive->header;
	cr_assert_str_eq(found->version, header.version);
	cr_assert_str_eq(found->build, header.build);
	cr_assert_str_eq(found->units, header.units);
	cr_assert_str_eq(found->length_unit, header.length_unit);
	cr_assert_str_eq(found->time_unit, header.time_unit);
	cr_assert_str_eq(found->scene_name, header.scene_name);
	cr_assert_str_eq(found->scene_source, header.scene_source);
	cr_assert_str_eq(found->scene_effective, header.scene_effective);
	cr_assert_eq(found->frame_interval, header.frame_interval);
	cr_assert_eq(found->end_time, header.end_time);
	cr_assert_eq(found->n_files, 2);
	for (size_t i = 0; i < 2; i++) {
		cr_assert_str_eq(found->files[i].name, sample_files[i].name);
		cr_assert_eq(found->files[i].length, sample_files[i].length);
		cr_assert_eq(memcmp(found->files[i].data, sample_files[i].data, sample_files[i].length), 0);
	}
	cr_assert_eq(found->n_vertices, SAMPLE_VERTICES);
	cr_assert_eq(memcmp(found->rest, sample_rest, sizeof sample_rest), 0);
	cr_assert_eq(memcmp(found->mass, sample_mass, sizeof sample_mass), 0);
	cr_assert_eq(memcmp(found->held, sample_held, sizeof sample_held), 0);
	cr_assert_eq(found->n_triangles, 2);
	cr_assert_eq(memcmp(found->triangle, sample_triangle, sizeof sample_triangle), 0);
	cr_assert_eq(found->n_edges, 1);
	cr_assert_eq(memcmp(found->edge, sample_edge, sizeof sample_edge), 0);
	cr_assert_eq(found->n_particles, 1);
	cr_assert_eq(found->particle[0], 6);
	cr_assert_str_eq(archive->summary, "{\"steps\": 12}");
	cr_assert_eq(archive_column(found, "total"), 2);
	cr_assert_eq(archive_column(found, "nothing"), -1);
	cr_assert_str_eq(found->columns[1].unit, "J");
}

Test(archive, bodies_round_trip)
{
	ArchiveHeader header = sample_header();
	g_autofree char *path = write_sample("a.h5", &header, 0);
	g_autoptr(Archive) archive = archive_open(path, NULL);
	cr_assert_not_null(archive);
	cr_assert_eq(archive->header.n_bodies, 3);
	for (size_t i = 0; i < 3; i++) {
		const ArchiveBody *found = &archive->header.bodies[i], *body = &sample_bodies[i];
		cr_assert_str_eq(found->name, body->name);
		cr_assert_str_eq(found->material, body->material);
		cr_assert_eq(memcmp(&found->first_vertex, &body->first_vertex, 8 * sizeof(uint32_t)), 0);
	}
}

Test(archive, frames_round_trip)
{
	ArchiveHeader header = sample_header();
	/* Enough to fill several chunks of the ledger and of time. */
	g_autofree char *path = write_sample("a.h5", &header, 2100);
	assert_frames(path, 2100, true);
}

Test(archive, large_frames_are_cut_into_chunks)
{
	ArchiveHeader header = sample_header();
	header.n_vertices = 100001;
	g_autofree double *rest = g_new0(double, 3 * header.n_vertices), *mass = g_new0(double, header.n_vertices);
	g_autofree uint8_t *held = g_new0(uint8_t, header.n_vertices);
	header.rest = rest;
	header.mass = mass;
	header.held = held;
	g_autofree char *path = write_sample("large.h5", &header, 2);
	assert_frames(path, 2, true);
}

Test(archive, nothing_round_trip)
{
	ArchiveHeader header = {.version = "", .build = "", .units = "cgs", .length_unit = "cm", .time_unit = "s"};
	header.scene_name = header.scene_source = header.scene_effective = "";
	for (size_t n_frames = 0; n_frames < 3; n_frames++) {
		g_autofree char *path = write_sample("nothing.h5", &header, n_frames);
		assert_frames(path, n_frames, true);
		g_autoptr(Archive) archive = archive_open(path, NULL);
		cr_assert_eq(archive->header.n_vertices + archive->header.n_triangles + archive->header.n_bodies, 0);
		cr_assert_str_eq(archive->header.scene_source, "");
	}
}

Test(archive, no_temporary_file_is_left)
{
	ArchiveHeader header = sample_header();
	g_free(write_sample("a.h5", &header, 1));
	g_autofree char *path = write_sample("a.h5", &header, 2);
	g_autofree char *part = in_directory("a.h5.part"), *sidecar_part = in_directory("a.xdmf.part");
	assert_frames(path, 2, true);
	cr_assert(!g_file_test(part, G_FILE_TEST_EXISTS));
	cr_assert(!g_file_test(sidecar_part, G_FILE_TEST_EXISTS));
}

Test(archive, frame_out_of_range_is_refused)
{
	ArchiveHeader header = sample_header();
	g_autofree char *path = write_sample("a.h5", &header, 2);
	g_autoptr(Archive) archive = archive_open(path, NULL);
	g_autoptr(GError) error = NULL;
	double out[3 * SAMPLE_VERTICES];
	cr_assert(!archive_read_positions(archive, 2, out, &error));
	cr_assert_not_null(strstr(error->message, "has no frame 2"));
}

/* A reader in the same process and one in another see what is written so far. */
Test(archive, readable_while_it_grows)
{
	ArchiveHeader header = sample_header();
	g_autofree char *path = in_directory("growing.h5");
	ArchiveWriter *writer = archive_create(path, &header, NULL);
	assert_frames(path, 0, false);
	for (size_t frame = 0; frame < 5; frame++) {
		cr_assert(sample_append(writer, &header, frame, NULL));
		assert_frames(path, frame + 1, false);
	}
	archive_abandon(writer);
	assert_frames(path, 5, false);
}

/* Writes frames until it is killed; tells the count of finished ones through a pipe, one byte each. */
static void write_until_killed(const char *path, int report)
{
	ArchiveHeader header = sample_header();
	ArchiveWriter *writer = archive_create(path, &header, NULL);
	for (size_t frame = 0; writer && sample_append(writer, &header, frame, NULL); frame++)
		if (write(report, "", 1) != 1)
			break;
	_exit(1);
}

static size_t drain(int descriptor)
{
	char bytes[4096];
	size_t total = 0;
	ssize_t n;
	while ((n = read(descriptor, bytes, sizeof bytes)) > 0)
		total += (size_t)n;
	return total;
}

/* Returns the count of frames that the child had finished when it died. */
static size_t kill_a_writer(const char *path, guint32 microseconds)
{
	int ends[2];
	cr_assert_eq(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		write_until_killed(path, ends[1]);
	}
	close(ends[1]);
	char first;
	cr_assert_eq(read(ends[0], &first, 1), 1);
	g_usleep(microseconds);
	kill(child, SIGKILL);
	int status = 0;
	waitpid(child, &status, 0);
	cr_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	size_t finished = 1 + drain(ends[0]);
	close(ends[0]);
	return finished;
}

Test(archive, killed_writer_leaves_every_finished_frame)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(7);
	g_autofree char *path = in_directory("killed.h5");
	for (int trial = 0; trial < 20; trial++) {
		size_t finished = kill_a_writer(path, (guint32)g_rand_int_range(random, 0, 60000));
		GError *error = NULL;
		g_autoptr(Archive) archive = archive_open(path, &error);
		assert_no_error(error);
		/* One more may have been finished before it could be reported. */
		cr_assert(archive->n_frames == finished || archive->n_frames == finished + 1, "%zu frames of %zu",
		    archive->n_frames, finished);
		cr_assert(!archive->closed);
		for (size_t frame = 0; frame < archive->n_frames; frame++)
			assert_frame(archive, frame);
		cr_assert(archive_write_xdmf(path, &error));
	}
}

Test(archive, other_process_reads_while_it_grows)
{
	g_autofree char *path = in_directory("running.h5");
	int ends[2];
	cr_assert_eq(pipe(ends), 0);
	pid_t child = fork();
	if (child == 0) {
		close(ends[0]);
		write_until_killed(path, ends[1]);
	}
	close(ends[1]);
	char first;
	cr_assert_eq(read(ends[0], &first, 1), 1);
	size_t before = 0;
	for (int look = 0; look < 30; look++) {
		GError *error = NULL;
		g_autoptr(Archive) archive = archive_open(path, &error);
		assert_no_error(error);
		cr_assert(archive->n_frames >= MAX(before, 1));
		for (size_t frame = before; frame < archive->n_frames; frame++)
			assert_frame(archive, frame);
		before = archive->n_frames;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	close(ends[0]);
}

/* The child cannot make any file longer than `limit`; its exit code is the count of frames that it was told to be
 * readable, 255 when creating failed, 254 when the behaviour was wrong. */
static void write_until_full(const char *path, rlim_t limit)
{
	ArchiveHeader header = sample_header();
	struct rlimit size = {limit, limit};
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &size);
	g_autoptr(GError) error = NULL;
	ArchiveWriter *writer = archive_create(path, &header, &error);
	if (writer == NULL)
		exit(error && strstr(error->message, "File too large") ? 255 : 254);
	size_t frame = 0;
	while (frame < 253 && sample_append(writer, &header, frame, &error))
		frame++;
	g_autofree char *expected = g_strdup_printf(
	    "%s: could not write frame %zu: File too large; the %zu frames before it are readable", path, frame, frame);
	bool right =
	    error && strcmp(error->message, expected) == 0 && g_error_matches(error, CINCH_ERROR, CINCH_ERROR_FAILED);
	g_clear_error(&error);
	right = right && !sample_append(writer, &header, frame, &error) && error;
	archive_abandon(writer);
	exit(right ? (int)frame : 254);
}

Test(archive, full_disk_keeps_the_frames_before)
{
	g_autofree char *path = in_directory("full.h5");
	size_t created = 0, most = 0;
	for (rlim_t limit = 1000; limit < 80000; limit += 1177) {
		g_remove(path);
		pid_t child = fork();
		if (child == 0)
			write_until_full(path, limit);
		int status = 0;
		waitpid(child, &status, 0);
		cr_assert(WIFEXITED(status), "limit %lu: ended by signal %d", (unsigned long)limit, WTERMSIG(status));
		int frames = WEXITSTATUS(status);
		cr_assert_neq(frames, 254, "limit %lu", (unsigned long)limit);
		if (frames == 255) {
			cr_assert(!g_file_test(path, G_FILE_TEST_EXISTS));
			continue;
		}
		assert_frames(path, (size_t)frames, false);
		created++;
		most = MAX(most, (size_t)frames);
	}
	cr_assert(created > 10 && most > 10, "%zu created, %zu frames", created, most);
}

Test(archive, places_that_cannot_be_written)
{
	ArchiveHeader header = sample_header();
	g_autofree char *missing = in_directory("no/such/a.h5");
	const struct {
		const char *path, *reason;
	} cases[] = {{missing, "No such file or directory"}, {directory, "not a regular file"},
	    {"/dev/null", "not a regular file"}, {"/proc/a.h5", ""}};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		cr_assert_null(archive_create(cases[i].path, &header, &error));
		cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_FAILED));
		cr_assert(g_str_has_prefix(error->message, cases[i].path), "%s", error->message);
		cr_assert_not_null(strstr(error->message, cases[i].reason), "%s", error->message);
	}
}

Test(archive, foreign_files_are_refused)
{
	g_autofree char *text = in_directory("text.h5"), *empty = in_directory("empty.h5"),
	                *foreign = in_directory("foreign.h5"), *missing = in_directory("missing.h5");
	cr_assert(g_file_set_contents(text, "hello, this is no archive", -1, NULL));
	cr_assert(g_file_set_contents(empty, "", 0, NULL));
	H5Fclose(H5Fcreate(foreign, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
	assert_refused(missing, "No such file or directory");
	assert_refused(text, "is not an HDF5 file");
	assert_refused(empty, "is not an HDF5 file");
	assert_refused(foreign, "not a Cinch archive");
	assert_refused(directory, "not a regular file");
}

/* Cuts a copy at many lengths: either it is refused, or what it says it has is right. */
static void cut_everywhere(const char *path, size_t n_frames)
{
	g_autofree char *bytes = NULL, *cut = in_directory("cut.h5");
	size_t length = 0;
	cr_assert(g_file_get_contents(path, &bytes, &length, NULL));
	size_t refused = 0, steps = 0;
	for (size_t keep = 0; keep < length; keep += MAX(length / 400, 1), steps++) {
		cr_assert(g_file_set_contents(cut, bytes, (gssize)keep, NULL));
		g_autoptr(GError) error = NULL;
		g_autoptr(Archive) archive = archive_open(cut, &error);
		if (archive == NULL) {
			cr_assert(error && g_str_has_prefix(error->message, cut));
			refused++;
			continue;
		}
		cr_assert(archive->n_frames <= n_frames);
		double out[3 * SAMPLE_VERTICES], expected[3 * SAMPLE_VERTICES];
		for (size_t frame = 0; frame < archive->n_frames; frame++) {
			cr_assert_eq(archive->time[frame], sample_time(frame), "cut at %zu, frame %zu", keep, frame);
			sample_fill(expected, G_N_ELEMENTS(expected), frame, 0);
			if (archive_read_positions(archive, frame, out, NULL))
				cr_assert_eq(
				    memcmp(out, expected, sizeof out), 0, "cut at %zu, frame %zu", keep, frame);
		}
	}
	cr_assert(refused > steps / 10);
}

Test(archive, cut_archives_do_not_lie)
{
	ArchiveHeader header = sample_header();
	g_autofree char *path = write_sample("whole.h5", &header, 30);
	cut_everywhere(path, 30);
}

Test(archive, cut_archives_of_killed_writers_do_not_lie)
{
	g_autofree char *path = in_directory("killed.h5");
	size_t finished = kill_a_writer(path, 5000);
	cut_everywhere(path, finished + 1);
}

/* Flips bits at many places. HDF5's metadata is covered by checksums; whatever happens, it is no crash. */
Test(archive, damaged_archives_do_not_crash)
{
	ArchiveHeader header = sample_header();
	g_autofree char *path = write_sample("whole.h5", &header, 4), *damaged = in_directory("damaged.h5");
	g_autofree char *bytes = NULL;
	size_t length = 0;
	cr_assert(g_file_get_contents(path, &bytes, &length, NULL));
	double out[3 * SAMPLE_VERTICES];
	for (size_t at = 0; at < length; at += 1 + length / 700) {
		bytes[at] ^= 0x55;
		cr_assert(g_file_set_contents(damaged, bytes, (gssize)length, NULL));
		bytes[at] ^= 0x55;
		g_autoptr(Archive) archive = archive_open(damaged, NULL);
		for (size_t frame = 0; archive && frame < archive->n_frames; frame++)
			archive_read_velocities(archive, frame, out, NULL);
	}
}

/* Opens a finished archive as an editor would, to make it lie. */
static hid_t edit(const char *path)
{
	hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
	cr_assert(file >= 0);
	return file;
}

Test(archive, indices_out_of_range_are_refused)
{
	ArchiveHeader header = sample_header();
	static const char *const names[] = {"/topology/triangle", "/topology/edge", "/topology/particle"};
	for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = write_sample("lies.h5", &header, 1);
		hid_t file = edit(path), dataset = H5Dopen2(file, names[i], H5P_DEFAULT);
		uint32_t index[6] = {SAMPLE_VERTICES, 1, 2, 0, 2, 3};
		cr_assert(H5Dwrite(dataset, H5T_NATIVE_UINT32, H5S_ALL, H5S_ALL, H5P_DEFAULT, index) >= 0);
		H5Dclose(dataset);
		H5Fclose(file);
		assert_refused(path, "row 0 refers to vertex 7, but there are 7 vertices");
	}
}

Test(archive, bodies_out_of_range_are_refused)
{
	ArchiveHeader header = sample_header();
	ArchiveBody body = {"b", "", 0, 7, 0, 2, 0, 1, 0, 1};
	header.bodies = &body;
	header.n_bodies = 1;
	g_autofree char *right = write_sample("right.h5", &header, 1);
	assert_frames(right, 1, true);
	uint32_t *counts = &body.first_vertex;
	for (size_t i = 0; i < 8; i++) {
		uint32_t before = counts[i];
		counts[i] = UINT32_MAX;
		g_autofree char *path = write_sample("lies.h5", &header, 1);
		assert_refused(path, "reaches outside of the mesh");
		counts[i] = before;
	}
}

/* Puts another dataset in the place of one of the archive's. */
static void replace_dataset(const char *path, const char *name, hid_t type, int rank, const hsize_t *dims)
{
	hid_t file = edit(path);
	cr_assert(H5Ldelete(file, name, H5P_DEFAULT) >= 0);
	hid_t space = H5Screate_simple(rank, dims, NULL);
	hid_t dataset = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	cr_assert(dataset >= 0);
	H5Dclose(dataset);
	H5Sclose(space);
	H5Fclose(file);
}

Test(archive, wrong_shapes_and_types_are_refused)
{
	ArchiveHeader header = sample_header();
	const struct {
		const char *name;
		hid_t type;
		int rank;
		hsize_t dims[4];
	} cases[] = {
	    {"/topology/rest", H5T_IEEE_F64LE, 2, {7, 4}},
	    {"/topology/rest", H5T_IEEE_F32LE, 2, {7, 3}},
	    {"/topology/rest", H5T_IEEE_F64LE, 2, {1ULL << 58, 3}},
	    {"/topology/rest", H5T_IEEE_F64LE, 2, {1ULL << 40, 3}},
	    {"/topology/mass", H5T_IEEE_F64LE, 1, {6}},
	    {"/topology/held", H5T_STD_I32LE, 1, {7}},
	    {"/topology/triangle", H5T_STD_U32LE, 2, {2, 4}},
	    {"/topology/edge", H5T_STD_U32LE, 1, {2}},
	    {"/topology/particle", H5T_STD_U32LE, 1, {1ULL << 34}},
	    {"/topology/bodies", H5T_STD_U32LE, 1, {3}},
	    {"/motion/position", H5T_IEEE_F64LE, 3, {1, 6, 3}},
	    {"/motion/velocity", H5T_IEEE_F64LE, 4, {1, 7, 3, 1}},
	    {"/motion/time", H5T_STD_I64LE, 1, {1}},
	    {"/motion/time", H5T_IEEE_F64LE, 1, {1}}, /* never written, so not in the file */
	    {"/ledger/values", H5T_IEEE_F64LE, 2, {1, 4}},
	    {"/ledger/column", H5T_STD_U8LE, 1, {3}},
	    {"/ledger/unit", H5T_STD_U8LE, 2, {3, 1}},
	    {"/scene/source", H5T_STD_U8LE, 1, {3}},
	    {"/run/complete", H5T_IEEE_F64LE, 1, {1}},
	};
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = write_sample("lies.h5", &header, 1);
		replace_dataset(path, cases[i].name, cases[i].type, cases[i].rank, cases[i].dims);
		assert_refused(path, cases[i].name);
	}
}

/* Writes a sample in which one number of one kind differs in its last bit; kind 3 is time. */
static char *write_changed(const char *name, const ArchiveHeader *header, unsigned kind)
{
	char *path = in_directory(name);
	ArchiveWriter *writer = archive_create(path, header, NULL);
	for (size_t frame = 0; frame < 3; frame++) {
		double time = sample_time(frame), rows[3][3 * SAMPLE_VERTICES];
		for (unsigned k = 0; k < 3; k++)
			sample_fill(rows[k], k == 2 ? SAMPLE_COLUMNS : 3 * SAMPLE_VERTICES, frame, k);
		double *changed = kind == 3 ? &time : &rows[kind][2];
		uint64_t bits;
		memcpy(&bits, changed, sizeof bits);
		bits ^= frame == 1;
		memcpy(changed, &bits, sizeof bits);
		cr_assert(archive_append(writer, time, rows[0], rows[1], rows[2], NULL));
	}
	cr_assert(archive_finish(writer, NULL, NULL));
	return path;
}

Test(archive, compare_finds_one_bit)
{
	ArchiveHeader header = sample_header();
	g_autofree char *a = write_sample("a.h5", &header, 3), *same = write_sample("b.h5", &header, 3);
	char *difference = NULL;
	cr_assert(archive_compare(a, same, &difference, NULL));
	cr_assert_null(difference, "%s", difference);
	static const char *const found[] = {"the position of vertex 0 along z", "the velocity of vertex 0 along z",
	    "the ledger's \"total\"", "the time is"};
	for (unsigned kind = 0; kind < 4; kind++) {
		g_autofree char *other = write_changed("c.h5", &header, kind);
		cr_assert(archive_compare(a, other, &difference, NULL));
		cr_assert_not_null(difference, "kind %u", kind);
		cr_assert_not_null(strstr(difference, found[kind]), "%s", difference);
		cr_assert_not_null(strstr(difference, "frame 1"), "%s", difference);
		g_free(difference);
	}
}

Test(archive, compare_tells_of_lengths_and_missing_files)
{
	ArchiveHeader header = sample_header();
	g_autofree char *a = write_sample("a.h5", &header, 3), *longer = write_sample("b.h5", &header, 4),
	                *missing = in_directory("missing.h5");
	g_autofree char *difference = NULL;
	cr_assert(archive_compare(a, longer, &difference, NULL));
	cr_assert_not_null(strstr(difference, "3 frames against 4"), "%s", difference);
	g_autofree char *none = NULL;
	g_autoptr(GError) error = NULL;
	cr_assert(!archive_compare(a, missing, &none, &error));
	cr_assert(g_error_matches(error, CINCH_ERROR, CINCH_ERROR_INPUT));
}

/* The sample's end is 1/3 s, its frames are 0.04 s apart: the first at or after the end is frame 9. */
Test(archive, complete_when_the_last_frame_is_at_the_end)
{
	ArchiveHeader header = sample_header();
	for (size_t n_frames = 0; n_frames <= 10; n_frames++) {
		g_autofree char *path = write_sample("a.h5", &header, n_frames);
		g_autoptr(Archive) archive = archive_open(path, NULL);
		cr_assert(archive->closed);
		cr_assert_eq(archive->complete, n_frames == 10, "%zu frames", n_frames);
		cr_assert_str_eq(archive->summary, "{\"steps\": 12}");
	}
}

static size_t count_steps(const char *path)
{
	g_autofree char *text = NULL;
	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	size_t steps = 0;
	for (const char *at = strstr(text, "<Time "); at; at = strstr(at + 1, "<Time "))
		steps++;
	GMarkupParser parser = {0};
	GMarkupParseContext *context = g_markup_parse_context_new(&parser, 0, NULL, NULL);
	g_autoptr(GError) error = NULL;
	cr_assert(g_markup_parse_context_parse(context, text, -1, &error), "%s", error ? error->message : "");
	cr_assert(g_markup_parse_context_end_parse(context, &error));
	g_markup_parse_context_free(context);
	return steps;
}

Test(archive, sidecar_follows_powers_of_two)
{
	ArchiveHeader header = sample_header();
	g_autofree char *path = in_directory("a & <b>.h5"), *sidecar = in_directory("a & <b>.xdmf");
	ArchiveWriter *writer = archive_create(path, &header, NULL);
	static const size_t expected[] = {1, 2, 2, 4, 4, 4, 4, 8, 8};
	for (size_t frame = 0; frame < G_N_ELEMENTS(expected); frame++) {
		cr_assert(sample_append(writer, &header, frame, NULL));
		cr_assert_eq(count_steps(sidecar), expected[frame]);
	}
	cr_assert(archive_finish(writer, "{}", NULL));
	cr_assert_eq(count_steps(sidecar), 9);
	g_remove(sidecar);
	cr_assert(archive_write_xdmf(path, NULL));
	cr_assert_eq(count_steps(sidecar), 9);
}
