#include "sim/witness.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "io/obj.h"
#include "sim/json_put.h"
#include "sim/logbook.h"
#include "sim/proof.h"
#include "sim/removal.h"
#include "verify/fingerprint.h"
#include "verify/knot.h"
#include <string.h>

struct Witness {
	Simulation *simulation;
	ProofSubject *subject;
	Checker *checker;   /* NULL: nobody judges */
	Logbook *logbook;   /* NULL: there is no log at present */
	KnotRibbon *ribbon; /* those that the scene names */
	Knot *knot;         /* NULL: there are none */
	double told;        /* [s] of the last event that was told */
	double *last;       /* [s] (vertices) of the last commit that was told */
	double (*place)[3]; /* [length] (vertices) for the end of a window */
	Fingerprint motion;
	char motion_text[FINGERPRINT_DIGITS + 1]; /* empty until witness_finish() */
	double seconds;     /* of wall time spent judging */
	bool finished;
};

/* Where everything is now, at `time`. */
static void look_around(Witness *witness, double time)
{
	const Simulation *simulation = witness->simulation;
	for (uint32_t i = 0; i < world_vertex_count(simulation->scene->world); i++) {
		Vec3 x = flight_position(&simulation->flight[i], time);
		memcpy(witness->place[i], &x, sizeof witness->place[i]);
	}
}

static void mark_places(Witness *witness, double time)
{
	for (uint32_t i = 0; i < world_vertex_count(witness->simulation->scene->world); i++)
		fingerprint_add(&witness->motion, i, time, witness->place[i]);
}

/* True, or the sentence about what was found. */
static bool report(const Witness *witness, GError **error)
{
	if (witness_passes(witness))
		return true;
	const CheckerFinding *finding = &checker_verdict(witness->checker)->finding;
	if (finding->outcome == CHECKER_PASS)
		return error_set(error, CINCH_ERROR_PROOF, "%s", knot_failure(witness->knot));
	g_autofree char *sentence = proof_sentence(witness->subject, finding);
	return error_set(error, CINCH_ERROR_PROOF, "%s", sentence);
}

bool witness_judges(const Witness *witness)
{
	return witness->checker != NULL;
}

bool witness_passes(const Witness *witness)
{
	return !witness_has_evidence(witness) && (witness->knot == NULL || knot_failure(witness->knot) == NULL);
}

bool witness_has_evidence(const Witness *witness)
{
	return witness->checker != NULL && checker_verdict(witness->checker)->finding.outcome != CHECKER_PASS;
}

static void follow_ribbons(Witness *witness, double time)
{
	const Scene *scene = witness->simulation->scene;
	guint n = scene->ribbons->len;
	if (n == 0)
		return;
	witness->ribbon = g_new0(KnotRibbon, n);
	for (guint i = 0; i < n; i++) {
		const SceneRibbon *ribbon = &g_array_index(scene->ribbons, SceneRibbon, i);
		const Body *body = scene->world->bodies->pdata[ribbon->body];
		witness->ribbon[i] =
		    (KnotRibbon){body->name, ribbon->closed, ribbon->steady, ribbon->n, ribbon->left, ribbon->right, ribbon->middle};
	}
	witness->knot = knot_new(witness->ribbon, n, time, (const double(*)[3])witness->place);
}

static double reach_of(const Scene *scene)
{
	return scene->contact.enabled ? scene->contact.eta1 : 0.0;
}

Witness *witness_new(Simulation *simulation, bool judge)
{
	const Scene *scene = simulation->scene;
	size_t n = world_vertex_count(scene->world);
	double time = simulation->avi->time;
	Witness *witness = g_new0(Witness, 1);
	witness->simulation = simulation;
	witness->subject = proof_subject_of_scene(scene);
	witness->last = g_new(double, n + 1);
	witness->place = g_malloc0_n(n + 1, sizeof *witness->place);
	for (size_t i = 0; i < n; i++)
		witness->last[i] = simulation->flight[i].t;
	for (guint i = 0; i < scene->world->bodies->len; i++)
		if (removal_is_gone(simulation, i))
			proof_remove_body(witness->subject, i);
	look_around(witness, time);
	mark_places(witness, time);
	if (judge) {
		witness->checker = checker_new(&witness->subject->input, (const double(*)[3])witness->place, time,
		    reach_of(scene), simulation->threads);
		follow_ribbons(witness, time);
	}
	simulation->witness = witness;
	return witness;
}

void witness_free(Witness *witness)
{
	if (witness == NULL)
		return;
	if (witness->simulation->witness == witness)
		witness->simulation->witness = NULL;
	checker_free(witness->checker);
	witness_end_log(witness, false, false, NULL);
	knot_free(witness->knot);
	g_free(witness->ribbon);
	proof_subject_free(witness->subject);
	g_free(witness->last);
	g_free(witness->place);
	g_free(witness);
}

static bool end_window(Witness *witness, double time, GError **error)
{
	if (witness->checker == NULL)
		return true;
	double began = stopwatch_seconds();
	look_around(witness, time);
	checker_end_window(witness->checker, time, (const double(*)[3])witness->place);
	witness->seconds += stopwatch_seconds() - began;
	return report(witness, error);
}

static bool put_keyframe(Witness *witness, double time, GError **error)
{
	look_around(witness, time);
	return logbook_keyframe(witness->logbook, time, (const double(*)[3])witness->place, error);
}

bool witness_begin_log(Witness *witness, const char *path, GError **error)
{
	const Simulation *simulation = witness->simulation;
	double time = simulation->avi->time;
	look_around(witness, time);
	witness->logbook = logbook_new(simulation->scene, witness->subject, time, reach_of(simulation->scene),
	    (const double(*)[3])witness->place, path, error);
	return witness->logbook != NULL;
}

bool witness_end_log(Witness *witness, bool whole, bool complete, GError **error)
{
	Logbook *logbook = witness->logbook;
	if (logbook == NULL)
		return true;
	bool good = !whole || put_keyframe(witness, fmax(witness->told, witness->simulation->avi->time), error);
	witness->logbook = NULL;
	return logbook_finish(logbook, complete && good, good ? error : NULL) && good;
}

bool witness_event(Witness *witness, double time, const uint32_t *vertex, size_t n, GError **error)
{
	const Flight *flight = witness->simulation->flight;
	witness->told = time;
	if (n > 0 && !report(witness, error))
		return false;
	for (size_t i = 0; i < n; i++) {
		uint32_t v = vertex[i];
		/* An event may touch a vertex without a commit, or at a time at which another has. */
		if (flight[v].t <= witness->last[v])
			continue;
		const double x[3] = {flight[v].x.x, flight[v].x.y, flight[v].x.z};
		witness->last[v] = flight[v].t;
		fingerprint_add(&witness->motion, v, flight[v].t, x);
		if (witness->logbook != NULL)
			logbook_commit(witness->logbook, v, flight[v].t, x);
		if (witness->checker != NULL && !checker_commit(witness->checker, v, flight[v].t, x))
			return report(witness, error);
	}
	if (witness->logbook != NULL && logbook_is_due(witness->logbook) && !put_keyframe(witness, time, error))
		return false;
	return witness->checker == NULL || !checker_is_due(witness->checker) || end_window(witness, time, error);
}

bool witness_removal(Witness *witness, double time, uint32_t body, GError **error)
{
	fingerprint_add(&witness->motion, body, time, (const double[3]){NAN, NAN, NAN});
	proof_remove_body(witness->subject, body);
	if (witness->logbook != NULL &&
	    (!put_keyframe(witness, time, error) || !logbook_remove(witness->logbook, time, body, error)))
		return false;
	if (!end_window(witness, time, error))
		return false;
	if (witness->checker != NULL)
		checker_remove_body(witness->checker, body);
	return true;
}

bool witness_frame(Witness *witness, double time, const double *position, GError **error)
{
	if (witness->knot == NULL || knot_follow(witness->knot, time, (const double(*)[3])(const void *)position))
		return true;
	/* Whoever judges the motion up to here may know who passed through whom. */
	return end_window(witness, time, error) && report(witness, error);
}

bool witness_test_at_rest(Witness *witness, double time, const double *position, GError **error)
{
	checker_test_at_rest(witness->checker, time, (const double(*)[3])(const void *)position);
	return report(witness, error);
}

bool witness_finish(Witness *witness, GError **error)
{
	double time = witness->simulation->avi->time;
	if (!report(witness, error))
		return false;
	if (witness->finished)
		return true;
	witness->finished = true;
	look_around(witness, time);
	mark_places(witness, time);
	fingerprint_text(&witness->motion, witness->motion_text);
	return end_window(witness, time, error);
}

const CheckerVerdict *witness_verdict(const Witness *witness)
{
	return checker_verdict(witness->checker);
}

const char *witness_fingerprint(const Witness *witness)
{
	return witness->motion_text;
}

bool witness_write_evidence(const Witness *witness, const char *path, GError **error)
{
	return proof_write_evidence(witness->subject, &checker_verdict(witness->checker)->finding, path, error);
}

void witness_put_proof(const Witness *witness, JsonBuilder *builder)
{
	json_builder_set_member_name(builder, "proof");
	json_builder_begin_object(builder);
	json_put_text(builder, "verdict", witness_passes(witness) ? "PASS" : "FAIL");
	proof_put_verdict(witness->subject, checker_verdict(witness->checker), builder);
	if (witness->knot != NULL)
		proof_put_topology(witness->knot, builder);
	json_put_count(builder, "memory_bytes", checker_memory(witness->checker));
	json_put_number(builder, "seconds", witness->seconds);
	g_autofree char *scene = proof_scene_hash(witness->simulation->scene), *program = proof_program_hash();
	json_put_text(builder, "scene_sha256", scene);
	json_put_text(builder, "program_sha256", program);
	json_put_text(builder, "motion_fingerprint", witness->motion_text);
	json_builder_end_object(builder);
}
