#include "sim/logbook.h"
#include "core/error.h"
#include "io/motion.h"
#include "sim/json_put.h"
#include "verify/fingerprint.h"
#include "version.h"
#include <string.h>

/* Commits in a block: many compared with the places of all vertices that end it, as far as memory allows. */
enum { COMMITS_PER_VERTEX = 16, FEWEST = 1 << 16, MOST = 1 << 21 };

struct Logbook {
	MotionWriter *writer;
	GByteArray *record;  /* of the block under way */
	uint32_t n_vertices;
	size_t target, n;    /* commits in a block; in the one under way */
	uint64_t n_commits;  /* that have been written */
	double to;           /* [s] of the last keyframe */
	double (*place)[3];  /* [length] (vertices) in it */
	Fingerprint motion, sealed; /* of all commits; of those that have been written */
};

/* ---- the head ---- */

static void put_bodies(JsonBuilder *builder, const ProofSubject *subject)
{
	uint32_t n = subject->input.n_bodies;
	json_builder_set_member_name(builder, "bodies");
	json_builder_begin_array(builder);
	for (uint32_t b = 0; b < n; b++) {
		uint32_t end = b + 1 < n ? subject->first[b + 1] : subject->input.n_vertices;
		json_builder_begin_object(builder);
		json_put_text(builder, "name", subject->name[b]);
		json_put_count(builder, "first_vertex", subject->first[b]);
		json_put_count(builder, "vertices", end - subject->first[b]);
		json_put_number(builder, "thickness", subject->thickness[b]);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	json_builder_set_member_name(builder, "may_touch");
	json_builder_begin_array(builder);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a; b < n; b++)
			if (!subject->meets[a * n + b]) {
				json_builder_begin_array(builder);
				json_builder_add_int_value(builder, a);
				json_builder_add_int_value(builder, b);
				json_builder_end_array(builder);
			}
	json_builder_end_array(builder);
}

static char *head_of(const Scene *scene, const ProofSubject *subject, double time, double reach)
{
	const IntersectionsInput *mesh = &subject->input.mesh;
	g_autofree char *identity = proof_scene_hash(scene), *program = proof_program_hash();
	g_autoptr(JsonBuilder) builder = json_builder_new();
	json_builder_begin_object(builder);
	json_put_text(builder, "version", CINCH_VERSION);
	json_put_text(builder, "scene", scene->name);
	json_put_text(builder, "scene_sha256", identity);
	json_put_text(builder, "program_sha256", program);
	json_put_text(builder, "length_unit", subject->length);
	json_put_number(builder, "from", time);
	json_put_number(builder, "reach", reach);
	json_put_count(builder, "vertices", subject->input.n_vertices);
	json_put_count(builder, "triangles", mesh->n_triangles);
	json_put_count(builder, "edges", mesh->n_edges);
	json_put_count(builder, "particles", mesh->n_particles);
	put_bodies(builder, subject);
	json_builder_end_object(builder);
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	return json_to_string(root, TRUE);
}

static void put_index(GByteArray *bytes, uint32_t index)
{
	const uint8_t little[4] = {(uint8_t)index, (uint8_t)(index >> 8), (uint8_t)(index >> 16), (uint8_t)(index >> 24)};
	g_byte_array_append(bytes, little, sizeof little);
}

static bool write_mesh(Logbook *logbook, const PairsInput *input, GError **error)
{
	const IntersectionsInput *mesh = &input->mesh;
	GByteArray *bytes = g_byte_array_new();
	for (uint32_t i = 0; i < mesh->n_triangles; i++)
		for (int c = 0; c < 3; c++)
			put_index(bytes, mesh->triangle[i][c]);
	for (uint32_t i = 0; i < mesh->n_edges; i++)
		for (int c = 0; c < 2; c++)
			put_index(bytes, mesh->edge[i][c]);
	for (uint32_t i = 0; i < mesh->n_particles; i++)
		put_index(bytes, mesh->particle[i]);
	for (uint32_t i = 0; i < input->n_vertices; i++) {
		uint8_t held = input->held != NULL && input->held[i] != 0;
		g_byte_array_append(bytes, &held, 1);
	}
	bool good = motion_write(logbook->writer, "MESH", 1, bytes->data, bytes->len, error);
	g_byte_array_unref(bytes);
	return good;
}

/* ---- motion ---- */

static void put_record(Logbook *logbook, uint32_t vertex, double time, const double x[3])
{
	uint8_t record[MOTION_RECORD];
	motion_put_record(record, vertex, time, x);
	g_byte_array_append(logbook->record, record, sizeof record);
}

void logbook_commit(Logbook *logbook, uint32_t vertex, double time, const double x[3])
{
	put_record(logbook, vertex, time, x);
	fingerprint_add(&logbook->motion, vertex, time, x);
	logbook->n++;
}

bool logbook_is_due(const Logbook *logbook)
{
	return logbook->n >= logbook->target;
}

bool logbook_keyframe(Logbook *logbook, double time, const double (*place)[3], GError **error)
{
	for (uint32_t i = 0; i < logbook->n_vertices; i++)
		put_record(logbook, i, time, place[i]);
	memcpy(logbook->place, place, logbook->n_vertices * sizeof *place);
	logbook->to = time;
	logbook->n_commits += logbook->n;
	logbook->n = 0;
	logbook->sealed = logbook->motion;
	bool good = motion_write(logbook->writer, "MOVE", MOTION_RECORD, logbook->record->data, logbook->record->len, error);
	g_byte_array_set_size(logbook->record, 0);
	return good;
}

static void mark_places(Logbook *logbook, Fingerprint *motion)
{
	for (uint32_t i = 0; i < logbook->n_vertices; i++)
		fingerprint_add(motion, i, logbook->to, logbook->place[i]);
}

static bool write_text(Logbook *logbook, const char kind[MOTION_KIND], JsonBuilder *builder, GError **error)
{
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	g_autofree char *text = json_to_string(root, TRUE);
	return motion_write(logbook->writer, kind, 1, text, strlen(text), error);
}

bool logbook_remove(Logbook *logbook, double time, uint32_t body, GError **error)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	json_builder_begin_object(builder);
	json_put_count(builder, "body", body);
	json_put_number(builder, "time", time);
	json_builder_end_object(builder);
	fingerprint_add(&logbook->motion, body, time, (const double[3]){NAN, NAN, NAN});
	logbook->sealed = logbook->motion;
	return write_text(logbook, "GONE", builder, error);
}

/* ---- begin and end ---- */

static void free_all(Logbook *logbook)
{
	g_byte_array_unref(logbook->record);
	g_free(logbook->place);
	g_free(logbook);
}

Logbook *logbook_new(const Scene *scene, const ProofSubject *subject, double time, double reach, const double (*place)[3],
    const char *path, GError **error)
{
	uint32_t n = subject->input.n_vertices;
	g_autofree char *head = head_of(scene, subject, time, reach);
	MotionWriter *writer = motion_create(path, error);
	if (writer == NULL)
		return NULL;
	Logbook *logbook = g_new0(Logbook, 1);
	logbook->writer = writer;
	logbook->record = g_byte_array_new();
	logbook->n_vertices = n;
	logbook->target = MIN(MAX((size_t)n * COMMITS_PER_VERTEX, FEWEST), MOST);
	logbook->place = g_malloc0_n(n + (size_t)1, sizeof *logbook->place);
	if (motion_write(writer, "HEAD", 1, head, strlen(head), error) && write_mesh(logbook, &subject->input, error) &&
	    logbook_keyframe(logbook, time, place, error)) {
		mark_places(logbook, &logbook->motion);
		logbook->sealed = logbook->motion;
		return logbook;
	}
	motion_close(writer, NULL);
	free_all(logbook);
	return NULL;
}

bool logbook_finish(Logbook *logbook, bool complete, GError **error)
{
	char fingerprint[FINGERPRINT_DIGITS + 1];
	mark_places(logbook, &logbook->sealed);
	fingerprint_text(&logbook->sealed, fingerprint);
	g_autoptr(JsonBuilder) builder = json_builder_new();
	json_builder_begin_object(builder);
	json_put_number(builder, "to", logbook->to);
	json_put_count(builder, "commits", logbook->n_commits);
	json_put_flag(builder, "complete", complete);
	json_put_text(builder, "motion_fingerprint", fingerprint);
	json_builder_end_object(builder);
	bool good = write_text(logbook, "DONE", builder, error);
	good = motion_close(logbook->writer, good ? error : NULL) && good;
	free_all(logbook);
	return good;
}
