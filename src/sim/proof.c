#include "sim/proof.h"
#include "io/obj.h"
#include "sim/json_put.h"
#include "sim/preflight.h"
#include <string.h>

enum { MOST_EXCLUDED = 100 }; /* pairs of bodies that are named; the rest is counted */

static bool is_whole_held(const World *world, const Body *body)
{
	for (uint32_t i = 0; i < body->n_vertices; i++)
		if (g_array_index(world->held, uint8_t, body->first_vertex + i) == HELD_NOT)
			return false;
	return true;
}

/* Who has to stay apart. Without contact everybody: then a proof tells whether it was needed. */
static void list_meetings(ProofSubject *subject, const Scene *scene)
{
	const World *world = scene->world;
	const ContactRule *rule = &scene->contact;
	uint32_t n = world->bodies->len;
	subject->meets = g_new0(uint8_t, (size_t)n * n + 1);
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = 0; b < n; b++) {
			const Body *body = world->bodies->pdata[a];
			subject->meets[a * n + b] = a != b || !rule->enabled || !(rule->no_self || body->no_self);
		}
	for (guint i = 0; rule->enabled && rule->exclude && i < rule->exclude->len; i++) {
		BodyPair pair = g_array_index(rule->exclude, BodyPair, i);
		subject->meets[pair.a * n + pair.b] = subject->meets[pair.b * n + pair.a] = 0;
	}
}

static void list_excluded(ProofSubject *subject, const World *world)
{
	uint32_t n = world->bodies->len, more = 0;
	for (uint32_t a = 0; a < n; a++)
		for (uint32_t b = a; b < n; b++) {
			bool held = a != b && is_whole_held(world, world->bodies->pdata[a]) &&
			            is_whole_held(world, world->bodies->pdata[b]);
			if (subject->meets[a * n + b] && !held)
				continue;
			if (subject->excluded->len >= MOST_EXCLUDED) {
				more++;
				continue;
			}
			g_ptr_array_add(subject->excluded,
			    a == b ? g_strdup_printf("%s and itself (the scene says so)", subject->name[a])
			           : g_strdup_printf("%s and %s (%s)", subject->name[a], subject->name[b],
			                 held ? "both are held" : "the scene says so"));
		}
	if (more > 0)
		g_ptr_array_add(subject->excluded, g_strdup_printf("and %u more pairs of bodies", more));
}

ProofSubject *proof_subject_of_scene(const Scene *scene)
{
	const World *world = scene->world;
	ProofSubject *subject = g_new0(ProofSubject, 1);
	uint32_t n = world->bodies->len, n_vertices = world_vertex_count(world);
	subject->body = g_new0(uint32_t, n_vertices + 1u);
	subject->held = g_memdup2(world->held->data, n_vertices + 0u);
	subject->thickness = g_new0(double, n + 1u);
	subject->name = g_new0(char *, n + 1u);
	subject->first = g_new0(uint32_t, n + 1u);
	subject->length = world->units->length;
	subject->excluded = g_ptr_array_new_with_free_func(g_free);
	for (uint32_t b = 0; b < n; b++) {
		const Body *body = world->bodies->pdata[b];
		subject->name[b] = g_strdup(body->name);
		subject->first[b] = body->first_vertex;
		subject->thickness[b] = scene->contact.enabled ? body->thickness : 0.0;
		for (uint32_t i = 0; i < body->n_vertices; i++)
			subject->body[body->first_vertex + i] = b;
	}
	list_meetings(subject, scene);
	list_excluded(subject, world);
	subject->input = (PairsInput){
	    .n_vertices = n_vertices,
	    .mesh = preflight_mesh(world, NULL, NULL),
	    .n_bodies = n,
	    .body = subject->body,
	    .held = subject->held,
	    .meets = subject->meets,
	    .thickness = subject->thickness,
	};
	return subject;
}

void proof_remove_body(ProofSubject *subject, uint32_t body)
{
	uint32_t n = subject->input.n_bodies;
	for (uint32_t other = 0; other < n; other++)
		subject->meets[body * n + other] = subject->meets[other * n + body] = 0;
}

void proof_subject_free(ProofSubject *subject)
{
	if (subject == NULL)
		return;
	g_free(subject->body);
	g_free(subject->held);
	g_free(subject->meets);
	g_free(subject->thickness);
	g_strfreev(subject->name);
	g_free(subject->first);
	g_ptr_array_unref(subject->excluded);
	g_free(subject);
}

char *proof_name(const ProofSubject *subject, const uint32_t *vertex, int n)
{
	static const char *const names[] = {"", "vertex", "edge", "triangle"};
	uint32_t body = subject->body[vertex[0]];
	GString *text = g_string_new(names[n]);
	for (int i = 0; i < n; i++)
		g_string_append_printf(text, "%c%u", i ? '-' : ' ', vertex[i] - subject->first[body]);
	g_string_append_printf(text, " of %s", subject->name[body]);
	return g_string_free(text, FALSE);
}

char *proof_sentence(const ProofSubject *subject, const CheckerFinding *finding)
{
	static const char *const faults[] = {[TRACK_GOOD] = "",
	    [TRACK_NOT_FINITE] = "is nowhere: its place is not a number",
	    [TRACK_BACKWARD] = "moves backward in time",
	    [TRACK_JUMP] = "is in two places at once"};
	const double *x = finding->place;
	g_autofree char *one = proof_name(subject, finding->vertex, finding->n_first);
	if (finding->outcome == CHECKER_MALFORMED)
		return g_strdup_printf("at t = %.15g s %s %s: this is no motion", finding->time, one, faults[finding->fault]);
	g_autofree char *other =
	    proof_name(subject, finding->vertex + finding->n_first, finding->n - finding->n_first);
	return g_strdup_printf("at t = %.15g s %s and %s %s, at (%.9g, %.9g, %.9g) %s", finding->time, one, other,
	    finding->outcome == CHECKER_INTERSECTS ? "intersect" : "touch", x[0], x[1], x[2], subject->length);
}

bool proof_write_evidence(const ProofSubject *subject, const CheckerFinding *finding, const char *path, GError **error)
{
	g_autofree char *sentence = proof_sentence(subject, finding);
	g_autofree char *title = g_strdup_printf("%s.", sentence);
	uint32_t triangle[2][3], edge[2][2], particle[2], first = 0;
	size_t n[4] = {0};
	for (int side = 0; side < (finding->n > finding->n_first ? 2 : 1); side++) {
		int corners = side == 0 ? finding->n_first : finding->n - finding->n_first;
		for (int c = 0; c < corners; c++, first++)
			*(corners == 3 ? &triangle[n[3]][c] : corners == 2 ? &edge[n[2]][c] : &particle[n[1]]) = first;
		n[corners]++;
	}
	return obj_write(path, title, &finding->x[0][0], (size_t)finding->n, (const uint32_t(*)[3])triangle, n[3],
	    (const uint32_t(*)[2])edge, n[2], particle, n[1], error);
}

static void put_finding(const ProofSubject *subject, const CheckerFinding *finding, JsonBuilder *builder)
{
	g_autofree char *sentence = proof_sentence(subject, finding);
	json_builder_set_member_name(builder, "violation");
	json_builder_begin_object(builder);
	json_put_text(builder, "what", sentence);
	json_put_number(builder, "time", finding->time);
	json_put_numbers(builder, "place", finding->place, 3);
	json_builder_set_member_name(builder, "vertices");
	json_builder_begin_array(builder);
	for (int i = 0; i < finding->n; i++)
		json_builder_add_int_value(builder, finding->vertex[i]);
	json_builder_end_array(builder);
	json_put_count(builder, "of_the_first", (uint64_t)finding->n_first);
	json_builder_end_object(builder);
}

void proof_put_verdict(const ProofSubject *subject, const CheckerVerdict *verdict, JsonBuilder *builder)
{
	const CheckerCount *count = &verdict->count;
	bool pass = verdict->finding.outcome == CHECKER_PASS;
	json_put_number(builder, "from", verdict->from);
	json_put_number(builder, "to", verdict->to);
	json_put_number(builder, "separation", verdict->distance);
	json_put_number(builder, "gap", verdict->gap);
	json_put_number(builder, "reach", verdict->reach);
	json_put_count(builder, "commits", count->commits);
	json_put_count(builder, "segments", count->commits + count->windows * subject->input.n_vertices);
	json_put_count(builder, "windows", count->windows);
	json_put_count(builder, "near", count->near);
	json_put_count(builder, "examined", count->examined);
	json_put_count(builder, "by_chord", count->by_chord);
	json_put_count(builder, "by_way", count->by_way);
	json_put_count(builder, "pieces", count->pieces);
	json_put_count(builder, "exactly", count->exactly);
	json_builder_set_member_name(builder, "excluded");
	json_builder_begin_array(builder);
	for (guint i = 0; i < subject->excluded->len; i++)
		json_builder_add_string_value(builder, subject->excluded->pdata[i]);
	json_builder_end_array(builder);
	if (!pass)
		put_finding(subject, &verdict->finding, builder);
}

static void put_ribbon(const Knot *knot, uint32_t i, JsonBuilder *builder)
{
	const KnotRibbon *ribbon = knot_ribbon(knot, i);
	const KnotState *state = knot_state(knot, i);
	json_builder_begin_object(builder);
	json_put_text(builder, "name", ribbon->name);
	json_put_flag(builder, "closed", ribbon->closed);
	json_builder_set_member_name(builder, "edges");
	if (state->has_edges)
		json_builder_add_int_value(builder, state->edges);
	else
		json_builder_add_null_value(builder);
	json_put_number(builder, "writhe_first", state->first);
	json_put_number(builder, "writhe_last", state->last);
	json_put_number(builder, "writhe_least", state->least);
	json_put_number(builder, "writhe_most", state->most);
	json_put_count(builder, "lost", state->lost);
	json_builder_end_object(builder);
}

static void put_links(const Knot *knot, JsonBuilder *builder)
{
	json_builder_set_member_name(builder, "links");
	json_builder_begin_array(builder);
	for (uint32_t a = 0; a < knot_count(knot); a++)
		for (uint32_t b = a + 1; b < knot_count(knot); b++) {
			json_builder_begin_object(builder);
			json_put_text(builder, "a", knot_ribbon(knot, a)->name);
			json_put_text(builder, "b", knot_ribbon(knot, b)->name);
			json_builder_set_member_name(builder, "linking");
			json_builder_add_int_value(builder, knot_between(knot, a, b));
			json_builder_end_object(builder);
		}
	json_builder_end_array(builder);
}

void proof_put_topology(const Knot *knot, JsonBuilder *builder)
{
	json_builder_set_member_name(builder, "topology");
	json_builder_begin_object(builder);
	json_put_count(builder, "frames", knot_frames(knot));
	json_builder_set_member_name(builder, "ribbons");
	json_builder_begin_array(builder);
	for (uint32_t i = 0; i < knot_count(knot); i++)
		put_ribbon(knot, i, builder);
	json_builder_end_array(builder);
	put_links(knot, builder);
	if (knot_failure(knot) != NULL)
		json_put_text(builder, "failure", knot_failure(knot));
	json_builder_end_object(builder);
}

char *proof_scene_hash(const Scene *scene)
{
	uint8_t identity[SCENE_IDENTITY];
	GString *text = g_string_new(NULL);
	scene_identity(scene, identity);
	for (int i = 0; i < SCENE_IDENTITY; i++)
		g_string_append_printf(text, "%02x", identity[i]);
	return g_string_free(text, FALSE);
}

char *proof_program_hash(void)
{
	g_autofree char *program = NULL;
	gsize length = 0;
	if (!g_file_get_contents("/proc/self/exe", &program, &length, NULL))
		return g_strdup("");
	return g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)program, length);
}
