/* A log says itself what is moving; whether it is whole is known from its hashes (io/motion.h). Its order is HEAD, MESH, a
 * keyframe, blocks of motion with a removal here and there, DONE. */
#include "core/error.h"
#include "io/motion.h"
#include "sim/judgement.h"
#include "verify/fingerprint.h"
#include <string.h>

enum { MOST_BODIES = 20000 }; /* who meets whom is kept for each two */

typedef struct {
	Judgement *judgement;
	MotionReader *reader;
	const char *path;
	unsigned threads;
	uint32_t n_vertices, n_bodies, n_triangles, n_edges, n_particles;
	double reach;
	double (*place)[3]; /* (vertices) of the last keyframe */
	double time;        /* [s] of it */
	uint64_t n_commits;
	Fingerprint motion;
	bool begun, done;
} Source;

/* What is said in a block is not so: the log was not written by this program. */
static bool refuse(const Source *source, const MotionBlock *block, GError **error, const char *what)
{
	return error_set(error, CINCH_ERROR_INPUT, "%s: block %" G_GUINT64_FORMAT " (%s) of the log: %s", source->path, block->number,
	    block->kind, what);
}

/* ---- the head ---- */

static JsonObject *parse(JsonParser *parser, const MotionBlock *block)
{
	if (!g_utf8_validate((const char *)block->data, (gssize)block->size, NULL) ||
	    !json_parser_load_from_data(parser, (const char *)block->data, (gssize)block->size, NULL))
		return NULL;
	JsonNode *root = json_parser_get_root(parser);
	return root != NULL && JSON_NODE_HOLDS_OBJECT(root) ? json_node_get_object(root) : NULL;
}

static bool read_number(JsonObject *object, const char *key, double *value)
{
	JsonNode *node = json_object_get_member(object, key);
	if (node == NULL || !JSON_NODE_HOLDS_VALUE(node) || json_node_get_value_type(node) == G_TYPE_STRING)
		return false;
	*value = json_node_get_double(node);
	return isfinite(*value);
}

static bool read_count(JsonObject *object, const char *key, uint32_t *value)
{
	double number;
	if (!read_number(object, key, &number) || !(number >= 0.0 && number < 4294967295.0 && number == floor(number)))
		return false;
	*value = (uint32_t)number;
	return true;
}

static char *read_text(JsonObject *object, const char *key)
{
	JsonNode *node = json_object_get_member(object, key);
	bool is_text = node != NULL && JSON_NODE_HOLDS_VALUE(node) && json_node_get_value_type(node) == G_TYPE_STRING;
	return is_text ? json_node_dup_string(node) : NULL;
}

static JsonArray *read_list(JsonObject *object, const char *key)
{
	JsonNode *node = json_object_get_member(object, key);
	return node != NULL && JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
}

/* Bodies follow each other without gaps. */
static bool read_body(ProofSubject *subject, uint32_t b, JsonNode *node, uint32_t *next, uint32_t n_vertices)
{
	uint32_t n;
	if (!JSON_NODE_HOLDS_OBJECT(node))
		return false;
	JsonObject *body = json_node_get_object(node);
	subject->name[b] = read_text(body, "name");
	if (subject->name[b] == NULL || !read_count(body, "first_vertex", &subject->first[b]) || !read_count(body, "vertices", &n) ||
	    !read_number(body, "thickness", &subject->thickness[b]) || subject->thickness[b] < 0.0)
		return false;
	if (subject->first[b] != *next || n > n_vertices - *next)
		return false;
	*next += n;
	return true;
}

static bool read_bodies(Source *source, JsonArray *bodies)
{
	ProofSubject *subject = source->judgement->subject;
	uint32_t next = 0;
	for (uint32_t b = 0; b < source->n_bodies; b++)
		if (!read_body(subject, b, json_array_get_element(bodies, b), &next, source->n_vertices))
			return false;
	return next == source->n_vertices;
}

static bool read_may_touch(Source *source, JsonArray *pairs)
{
	ProofSubject *subject = source->judgement->subject;
	uint32_t n = source->n_bodies;
	memset(subject->meets, 1, (size_t)n * n);
	for (guint i = 0; i < json_array_get_length(pairs); i++) {
		JsonNode *node = json_array_get_element(pairs, i);
		JsonArray *pair = JSON_NODE_HOLDS_ARRAY(node) ? json_node_get_array(node) : NULL;
		if (pair == NULL || json_array_get_length(pair) != 2 || !JSON_NODE_HOLDS_VALUE(json_array_get_element(pair, 0)) ||
		    !JSON_NODE_HOLDS_VALUE(json_array_get_element(pair, 1)))
			return false;
		gint64 a = json_array_get_int_element(pair, 0), b = json_array_get_int_element(pair, 1);
		if (a < 0 || b < 0 || a >= n || b >= n)
			return false;
		subject->meets[a * n + b] = subject->meets[b * n + a] = 0;
		g_ptr_array_add(subject->excluded,
		    g_strdup_printf("%s and %s (the log says so)", subject->name[a], a == b ? "itself" : subject->name[b]));
	}
	return true;
}

static bool read_head(Source *source, const MotionBlock *block, GError **error)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	JsonObject *head = parse(parser, block);
	Judgement *judgement = source->judgement;
	JsonArray *bodies = head ? read_list(head, "bodies") : NULL, *may_touch = head ? read_list(head, "may_touch") : NULL;
	if (bodies == NULL || may_touch == NULL || !read_count(head, "vertices", &source->n_vertices) ||
	    !read_count(head, "triangles", &source->n_triangles) || !read_count(head, "edges", &source->n_edges) ||
	    !read_count(head, "particles", &source->n_particles) || !read_number(head, "reach", &source->reach))
		return refuse(source, block, error, "expected an object of JSON with the keys of docs/archive-format.md");
	source->n_bodies = json_array_get_length(bodies);
	if (source->n_bodies == 0 || source->n_bodies > MOST_BODIES)
		return refuse(source, block, error, "expected from 1 to 20000 bodies");
	ProofSubject *subject = judgement->subject = g_new0(ProofSubject, 1);
	subject->meets = g_new0(uint8_t, (size_t)source->n_bodies * source->n_bodies + 1);
	subject->thickness = g_new0(double, source->n_bodies);
	subject->name = g_new0(char *, source->n_bodies + 1u);
	subject->first = g_new0(uint32_t, source->n_bodies);
	subject->excluded = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *unit = read_text(head, "length_unit");
	subject->length = g_strcmp0(unit, "cm") == 0 ? "cm" : "m";
	judgement->scene = read_text(head, "scene");
	judgement->scene_sha256 = read_text(head, "scene_sha256");
	judgement->program_sha256 = read_text(head, "program_sha256");
	return (read_bodies(source, bodies) && read_may_touch(source, may_touch)) ||
	       refuse(source, block, error, "its bodies do not fit its vertices");
}

/* ---- the mesh ---- */

static bool take_indices(const uint8_t **at, uint32_t *index, uint64_t n, uint32_t limit)
{
	bool good = true;
	for (uint64_t i = 0; i < n; i++, *at += 4) {
		index[i] = (uint32_t)(*at)[0] | (uint32_t)(*at)[1] << 8 | (uint32_t)(*at)[2] << 16 | (uint32_t)(*at)[3] << 24;
		good = good && index[i] < limit;
	}
	return good;
}

static bool has_corners_of_its_own(const uint32_t *corner, uint64_t n, int each)
{
	for (uint64_t i = 0; i < n; i++, corner += each)
		for (int c = 0; c < each; c++)
			if (corner[c] == corner[(c + 1) % each])
				return false;
	return true;
}

static bool read_mesh(Source *source, const MotionBlock *block, GError **error)
{
	Judgement *judgement = source->judgement;
	ProofSubject *subject = judgement->subject;
	uint64_t t = source->n_triangles, e = source->n_edges, p = source->n_particles, v = source->n_vertices;
	if (subject == NULL || subject->body != NULL || block->size != 12 * t + 8 * e + 4 * p + v)
		return refuse(source, block, error, "its size is not what the head says");
	const uint8_t *at = block->data;
	judgement->triangle = g_malloc_n(t + 1, sizeof *judgement->triangle);
	judgement->edge = g_malloc_n(e + 1, sizeof *judgement->edge);
	judgement->particle = g_new(uint32_t, p + 1);
	bool good = take_indices(&at, &judgement->triangle[0][0], 3 * t, source->n_vertices);
	good = take_indices(&at, &judgement->edge[0][0], 2 * e, source->n_vertices) && good;
	good = take_indices(&at, judgement->particle, p, source->n_vertices) && good;
	good = good && has_corners_of_its_own(&judgement->triangle[0][0], t, 3);
	if (!good || !has_corners_of_its_own(&judgement->edge[0][0], e, 2))
		return refuse(source, block, error, "an element has a corner that there is not, or one twice");
	subject->held = g_memdup2(at, v + 0u);
	subject->body = g_new0(uint32_t, v + 1);
	for (uint32_t b = 0; b < source->n_bodies; b++)
		for (uint64_t i = subject->first[b]; i < (b + 1 < source->n_bodies ? subject->first[b + 1] : v); i++)
			subject->body[i] = b;
	subject->input = (PairsInput){.n_vertices = source->n_vertices,
	    .mesh = {NULL, NULL, source->n_triangles, (const uint32_t(*)[3])judgement->triangle, source->n_edges,
	        (const uint32_t(*)[2])judgement->edge, source->n_particles, judgement->particle},
	    .n_bodies = source->n_bodies,
	    .body = subject->body,
	    .held = subject->held,
	    .meets = subject->meets,
	    .thickness = subject->thickness};
	source->place = g_malloc0_n(v + 1, sizeof *source->place);
	return true;
}

/* ---- the motion ---- */

/* The last records: every vertex in turn, at one time. */
static bool read_keyframe(Source *source, const uint8_t *record)
{
	for (uint32_t i = 0; i < source->n_vertices; i++, record += MOTION_RECORD) {
		uint32_t vertex;
		double time;
		motion_get_record(record, &vertex, &time, source->place[i]);
		if (vertex != i || (i > 0 && time != source->time))
			return false;
		source->time = time;
	}
	return true;
}

static void mark_places(Source *source)
{
	for (uint32_t i = 0; i < source->n_vertices; i++)
		fingerprint_add(&source->motion, i, source->time, source->place[i]);
}

static bool read_motion(Source *source, const MotionBlock *block, GError **error)
{
	Judgement *judgement = source->judgement;
	size_t n = block->size / MOTION_RECORD;
	if (source->place == NULL || block->width != MOTION_RECORD || n < source->n_vertices)
		return refuse(source, block, error, "it does not end with the places of all vertices");
	size_t commits = n - source->n_vertices;
	for (size_t i = 0; i < commits; i++) {
		uint32_t vertex;
		double time, x[3];
		motion_get_record(block->data + i * MOTION_RECORD, &vertex, &time, x);
		if (!source->begun || vertex >= source->n_vertices)
			return refuse(source, block, error, "it moves a vertex that there is not");
		fingerprint_add(&source->motion, vertex, time, x);
		checker_commit(judgement->checker, vertex, time, x);
	}
	if (!read_keyframe(source, block->data + commits * MOTION_RECORD))
		return refuse(source, block, error, "it does not end with the places of all vertices");
	source->n_commits += commits;
	if (!source->begun) {
		source->begun = true;
		mark_places(source);
		judgement->checker = checker_new(&judgement->subject->input, (const double(*)[3])source->place, source->time,
		    fmax(source->reach, 0.0), source->threads);
	} else {
		checker_end_window(judgement->checker, source->time, (const double(*)[3])source->place);
	}
	return true;
}

static bool read_removal(Source *source, const MotionBlock *block, GError **error)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	JsonObject *object = parse(parser, block);
	uint32_t body;
	double time;
	if (!source->begun || object == NULL || !read_count(object, "body", &body) || body >= source->n_bodies ||
	    !read_number(object, "time", &time))
		return refuse(source, block, error, "expected the body and the time of a removal");
	fingerprint_add(&source->motion, body, time, (const double[3]){NAN, NAN, NAN});
	checker_remove_body(source->judgement->checker, body);
	return true;
}

static bool read_end(Source *source, const MotionBlock *block, GError **error)
{
	Judgement *judgement = source->judgement;
	char fingerprint[FINGERPRINT_DIGITS + 1];
	g_autoptr(JsonParser) parser = json_parser_new();
	JsonObject *object = parse(parser, block);
	double to = NAN, commits = NAN;
	if (!source->begun || object == NULL || !read_number(object, "to", &to) || !read_number(object, "commits", &commits))
		return refuse(source, block, error, "expected what the log holds");
	mark_places(source);
	fingerprint_text(&source->motion, fingerprint);
	judgement->fingerprint = read_text(object, "motion_fingerprint");
	judgement->complete = json_object_get_boolean_member_with_default(object, "complete", FALSE);
	source->done = true;
	if (to != source->time || commits != (double)source->n_commits || g_strcmp0(judgement->fingerprint, fingerprint) != 0)
		return error_set(error, CINCH_ERROR_PROOF,
		    "the log is not what its end says: its time, its commits or their fingerprint are others");
	return true;
}

static bool read_block(Source *source, const MotionBlock *block, GError **error)
{
	static const struct {
		const char *kind;
		bool (*read)(Source *source, const MotionBlock *block, GError **error);
	} kinds[] = {{"HEAD", read_head}, {"MESH", read_mesh}, {"MOVE", read_motion}, {"GONE", read_removal}, {"DONE", read_end}};
	bool first = block->number == 0;
	for (size_t i = 0; i < G_N_ELEMENTS(kinds) && !source->done; i++)
		if (strcmp(block->kind, kinds[i].kind) == 0 && first == (i == 0))
			return kinds[i].read(source, block, error);
	return refuse(source, block, error, "is not expected here");
}

static bool read_all(Source *source, GError **error)
{
	MotionBlock block;
	GError *problem = NULL;
	while (motion_read(source->reader, &block, &problem)) {
		if (!read_block(source, &block, error))
			return false;
		source->judgement->n_blocks++;
	}
	if (problem != NULL) {
		g_propagate_error(error, problem);
		return false;
	}
	return source->done ||
	       error_set(error, CINCH_ERROR_PROOF, "the log is not whole: it ends without an end, after %" G_GUINT64_FORMAT " blocks",
	           source->judgement->n_blocks);
}

/* What was found in the part that could be read comes first. */
static void keep_failure(Judgement *judgement, GError *problem)
{
	const CheckerFinding *finding = judgement->checker ? &checker_verdict(judgement->checker)->finding : NULL;
	if (finding != NULL && finding->outcome != CHECKER_PASS)
		judgement->failure = proof_sentence(judgement->subject, finding);
	else if (problem != NULL)
		judgement->failure = g_strdup(problem->message);
}

Judgement *judgement_of_log(const char *path, unsigned threads, GError **error)
{
	g_autoptr(MotionReader) reader = motion_open(path, error);
	g_autoptr(GError) problem = NULL;
	if (reader == NULL)
		return NULL;
	Judgement *judgement = g_new0(Judgement, 1);
	Source source = {.judgement = judgement, .reader = reader, .path = path, .threads = threads};
	judgement->is_log = true;
	bool good = read_all(&source, &problem);
	g_free(source.place);
	if (!good && !g_error_matches(problem, CINCH_ERROR, CINCH_ERROR_PROOF)) {
		g_propagate_error(error, g_steal_pointer(&problem));
		judgement_free(judgement);
		return NULL;
	}
	keep_failure(judgement, problem);
	return judgement;
}
