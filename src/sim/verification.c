#include "sim/verification.h"
#include "core/error.h"
#include "sim/ledger.h"
#include "sim/proof.h"
#include "sim/resume.h"
#include "sim/settle.h"
#include <string.h>

/* Sums of a row are taken in another order here than when they were made: rounding of a few units. */
#define ROUNDING 1e-9
/* The error of the integration in time is of second order, and a few percent at the default steps (tests/sim/test_ledger.c
 * allows 2%): beyond this something is not accounted for. */
#define MOST_BALANCE 0.1

/* ---- the ledger ---- */

static double column(const Archive *archive, size_t frame, LedgerColumn which)
{
	return archive->ledger[frame * archive->header.n_columns + which];
}

/* What balance is the rest of, see docs/archive-format.md. */
static double balance_of(const Archive *archive, size_t frame, double *scale)
{
	double sum = column(archive, frame, LEDGER_TOTAL) - column(archive, 0, LEDGER_TOTAL);
	*scale = fabs(column(archive, frame, LEDGER_TOTAL)) + fabs(column(archive, 0, LEDGER_TOTAL));
	for (int i = LEDGER_WORK_LOADS; i < LEDGER_BALANCE; i++) {
		double value = column(archive, frame, i);
		sum += i <= LEDGER_WORK_SCRIPTS ? -value : value;
		*scale += fabs(value);
	}
	return sum;
}

static double total_of(const Archive *archive, size_t frame, double *scale)
{
	double sum = 0.0;
	*scale = 0.0;
	for (int i = LEDGER_KINETIC; i < LEDGER_TOTAL; i++) {
		sum += column(archive, frame, i);
		*scale += fabs(column(archive, frame, i));
	}
	return sum;
}

static char *check_row(const Archive *archive, size_t frame)
{
	double scale, total = total_of(archive, frame, &scale);
	if (!(fabs(column(archive, frame, LEDGER_TOTAL) - total) <= ROUNDING * scale))
		return g_strdup_printf("frame %zu: the ledger's total is %.9g, but its parts sum up to %.9g", frame,
		    column(archive, frame, LEDGER_TOTAL), total);
	double balance = balance_of(archive, frame, &scale);
	if (!(fabs(column(archive, frame, LEDGER_BALANCE) - balance) <= ROUNDING * scale))
		return g_strdup_printf("frame %zu: the ledger's balance is %.9g, but the rest of it leaves %.9g", frame,
		    column(archive, frame, LEDGER_BALANCE), balance);
	return NULL;
}

/* The largest balance, as a part of what all energies, works and losses have changed by. */
static double relative_balance(const Archive *archive)
{
	double turnover = 0.0, worst = 0.0;
	for (int i = LEDGER_KINETIC; i < LEDGER_BALANCE; i++) {
		double most = 0.0;
		for (size_t frame = 0; frame < archive->n_frames && i != LEDGER_TOTAL; frame++)
			most = fmax(most, fabs(column(archive, frame, i) - column(archive, 0, i)));
		turnover += most;
	}
	for (size_t frame = 0; frame < archive->n_frames; frame++)
		worst = fmax(worst, fabs(column(archive, frame, LEDGER_BALANCE)));
	return worst > 0.0 ? worst / turnover : 0.0;
}

static void check_ledger(Verification *verification, const Archive *archive)
{
	for (size_t frame = 0; frame < archive->n_frames && verification->failure == NULL; frame++)
		verification->failure = check_row(archive, frame);
	verification->balance = relative_balance(archive);
	if (verification->failure == NULL && !(verification->balance <= MOST_BALANCE))
		verification->failure = g_strdup_printf(
		    "the ledger does not close: its balance is %.3g of what the energies have changed by", verification->balance);
}

/* ---- frames ---- */

/* Keeps the sentence of a failed proof as the failure; false: some other error. */
static bool keep_failure(Verification *verification, GError *problem, GError **error)
{
	if (!g_error_matches(problem, CINCH_ERROR, CINCH_ERROR_PROOF)) {
		g_propagate_error(error, problem);
		return false;
	}
	verification->failure = g_strdup(problem->message);
	g_error_free(problem);
	return true;
}

static bool check_frame(Verification *verification, Archive *archive, size_t frame, GError **error)
{
	Simulation *simulation = verification->simulation;
	size_t n = 3 * archive->header.n_vertices;
	double row[LEDGER_N];
	g_autofree double *position = g_new(double, n + 1), *velocity = g_new(double, n + 1);
	g_autofree char *difference = NULL;
	GError *problem = NULL;
	simulation_positions(simulation, position);
	simulation_velocities(simulation, velocity);
	ledger_compute(simulation, simulation->avi->time, row);
	ArchiveFrame simulated = {simulation->avi->time, position, velocity, row};
	if (!archive_match_frame(archive, frame, &simulated, &difference, error))
		return false;
	if (difference != NULL) {
		verification->failure = g_strdup_printf(
		    "the archive is not what its scene gives: %s when the scene is simulated again", difference);
		return true;
	}
	verification->n_frames++;
	if (archive_read_positions(archive, frame, position, error) &&
	    witness_frame(verification->witness, archive->time[frame], position, &problem) &&
	    witness_test_at_rest(verification->witness, archive->time[frame], position, &problem))
		return true;
	return problem != NULL && keep_failure(verification, problem, error);
}

/* Simulates from frame to frame; the first, of time zero, is before any event. */
static bool follow(Verification *verification, Archive *archive, const VerificationOptions *options, GError **error)
{
	Simulation *simulation = verification->simulation;
	GError *problem = NULL;
	for (size_t frame = 0; frame < archive->n_frames && verification->failure == NULL; frame++) {
		double time = archive->time[frame];
		if (time < simulation->avi->time || (simulation->avi->time > 0.0 && time == simulation->avi->time))
			continue;
		if (time > simulation->avi->time && !simulation_advance(simulation, time, &problem))
			return keep_failure(verification, problem, error);
		if (!check_frame(verification, archive, frame, error))
			return false;
		if (options->progress != NULL)
			options->progress(time, options->data);
	}
	verification->to = simulation->avi->time;
	return verification->failure != NULL || witness_finish(verification->witness, &problem) ||
	       keep_failure(verification, problem, error);
}

/* ---- the verdict that is in the archive ---- */

static bool has_text(JsonObject *object, const char *key, const char *text)
{
	return g_strcmp0(json_object_get_string_member_with_default(object, key, ""), text) == 0;
}

static void check_proof(Verification *verification, JsonObject *proof)
{
	g_autofree char *scene = proof_scene_hash(verification->simulation->scene), *program = proof_program_hash();
	verification->same_program = has_text(proof, "program_sha256", program);
	if (!has_text(proof, "verdict", "PASS")) {
		verification->failure = g_strdup("the archive's own verdict is not PASS");
		return;
	}
	/* Of another stretch of time, such as after a resumption, there is nothing to compare. */
	if (json_object_get_double_member_with_default(proof, "from", NAN) != verification->from ||
	    json_object_get_double_member_with_default(proof, "to", NAN) != verification->to)
		return;
	verification->was_proved = true;
	if (!has_text(proof, "scene_sha256", scene))
		verification->failure = g_strdup("the archive's own verdict is about another scene");
	else if (!has_text(proof, "motion_fingerprint", witness_fingerprint(verification->witness)))
		verification->failure = g_strdup("the archive's own verdict is about another motion");
}

static void check_summary(Verification *verification, const Archive *archive)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	if (archive->summary == NULL || !json_parser_load_from_data(parser, archive->summary, -1, NULL))
		return;
	JsonNode *root = json_parser_get_root(parser);
	JsonNode *proof = root && JSON_NODE_HOLDS_OBJECT(root) ? json_object_get_member(json_node_get_object(root), "proof") : NULL;
	if (proof != NULL && JSON_NODE_HOLDS_OBJECT(proof))
		check_proof(verification, json_node_get_object(proof));
}

/* ---- all of it ---- */

/* The simulation from its start. */
static Simulation *start_over(Archive *archive, unsigned threads, GError **error)
{
	SettleWatch watch = {.threads = threads, .judge = true};
	Scene *scene = resume_scene(archive, NULL, error);
	if (scene == NULL)
		return NULL;
	scene->end = archive->header.end_time;
	return simulation_new_watched(scene, &watch, error);
}

static bool check_header(const Verification *verification, const Archive *archive, const char *path, GError **error)
{
	const World *world = verification->simulation->scene->world;
	const ArchiveHeader *header = &archive->header;
	bool same = header->n_columns == LEDGER_N && header->n_vertices == world_vertex_count(world);
	for (int i = 0; same && i < LEDGER_N; i++)
		same = strcmp(header->columns[i].name, ledger_name(i)) == 0;
	if (!same)
		return error_set(error, CINCH_ERROR_INPUT, "%s: was written by another version of Cinch, whose ledger or meshes were others", path);
	return archive->n_frames > 0 || error_set(error, CINCH_ERROR_INPUT, "%s: has no frames", path);
}

/* Nothing is equal to nothing, and has no address. */
static bool is_equal(const void *a, const void *b, size_t size)
{
	return size == 0 || memcmp(a, b, size) == 0;
}

/* What is in the archive besides must be what the scene says. */
static char *compare_topology(const Verification *verification, const ArchiveHeader *header)
{
	const World *world = verification->simulation->scene->world;
	bool same = header->n_triangles == world->triangle->len && header->n_edges == world->edge->len &&
	            header->n_particles == world->particle->len &&
	            is_equal(header->rest, world->rest->data, header->n_vertices * sizeof(Vec3)) &&
	            is_equal(header->mass, world->mass->data, header->n_vertices * sizeof(double)) &&
	            is_equal(header->held, world->held->data, header->n_vertices) &&
	            is_equal(header->triangle, world->triangle->data, header->n_triangles * sizeof(Triangle)) &&
	            is_equal(header->edge, world->edge->data, header->n_edges * sizeof(Edge)) &&
	            is_equal(header->particle, world->particle->data, header->n_particles * sizeof(uint32_t));
	return same ? NULL : g_strdup("the meshes in the archive are not those of its scene");
}

static bool verify(Verification *verification, Archive *archive, const VerificationOptions *options, GError **error)
{
	verification->failure = compare_topology(verification, &archive->header);
	if (verification->failure != NULL)
		return true;
	if (!follow(verification, archive, options, error))
		return false;
	if (verification->failure == NULL)
		check_ledger(verification, archive);
	if (verification->failure == NULL)
		check_summary(verification, archive);
	return true;
}

Verification *verification_of_archive(const char *path, const VerificationOptions *options, GError **error)
{
	g_autoptr(Archive) archive = archive_open(path, error);
	if (archive == NULL)
		return NULL;
	ResumeOptions from = {.checkpoint = options->checkpoint, .until = NAN};
	g_auto(ResumeSource) source = {0};
	Simulation *simulation =
	    options->checkpoint ? resume_load(path, archive, &from, &source, error) : start_over(archive, options->threads, error);
	if (simulation == NULL)
		return NULL;
	if (options->threads > 0)
		simulation->threads = options->threads;
	g_autoptr(Verification) verification = g_new0(Verification, 1);
	verification->simulation = simulation;
	verification->witness = witness_new(simulation, true);
	verification->from = verification->to = simulation->avi->time;
	verification->complete = archive->complete;
	if (!check_header(verification, archive, path, error) || !verify(verification, archive, options, error))
		return NULL;
	return g_steal_pointer(&verification);
}

void verification_free(Verification *verification)
{
	if (verification == NULL)
		return;
	witness_free(verification->witness);
	simulation_free(verification->simulation);
	g_free(verification->failure);
	g_free(verification);
}
