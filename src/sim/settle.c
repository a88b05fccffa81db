#include "sim/settle.h"
#include "core/error.h"
#include "core/stopwatch.h"
#include "sim/json_put.h"
#include "sim/ledger.h"
#include "sim/witness.h"
#include <string.h>

void settled_free(Settled *settled)
{
	if (settled == NULL)
		return;
	if (settled->proof != NULL)
		json_node_unref(settled->proof);
	if (settled->pairs != NULL)
		g_array_unref(settled->pairs);
	g_free(settled->position);
	g_free(settled);
}

/* To the end of the phase, in slices of about a tenth of a second of wall time. Where they end does not touch the motion. */
static bool go(Simulation *settling, const SettleWatch *watch, GError **error)
{
	double end = settling->scene->end, slice = end / 1000.0;
	while (settling->avi->time < end) {
		double began = stopwatch_seconds();
		if (!simulation_advance(settling, fmin(settling->avi->time + slice, end), error))
			return false;
		double took = stopwatch_seconds() - began;
		slice *= took < 0.05 ? 2.0 : took > 0.2 ? 0.5 : 1.0;
		if (watch->under_way != NULL && !watch->under_way(settling, watch->data))
			return error_set(error, CINCH_ERROR_FAILED, "given up after %.6g of %.6g s; nothing is written before it has settled",
			    settling->avi->time, end);
	}
	return settling->witness == NULL || witness_finish(settling->witness, error);
}

/* Of what moves, after its last event. */
static double mean_speed(const Simulation *settling)
{
	double row[LEDGER_N], mass = 0.0;
	ledger_compute(settling, settling->avi->time, row);
	for (uint32_t i = 0; i < world_vertex_count(settling->scene->world); i++)
		mass += settling->flight[i].inverse_mass > 0.0 ? 1.0 / settling->flight[i].inverse_mass : 0.0;
	return mass > 0.0 ? sqrt(2.0 * fmax(row[LEDGER_KINETIC], 0.0) / mass) : 0.0;
}

/* Memories that have nothing but their springs: those of a contact that begins, at time zero, with a stretch. */
static GArray *springs_of(const Contact *contact)
{
	if (contact == NULL)
		return g_array_new(FALSE, FALSE, sizeof(PairMemory));
	GArray *list = memory_list(contact->memory, contact_void_before(contact, contact->avi->time));
	for (guint i = 0; i < list->len; i++) {
		PairMemory *memory = &g_array_index(list, PairMemory, i), old = *memory;
		*memory = memory_blank(old.key, 0.0);
		memory->stretch = old.stretch;
		memory->n = old.n;
		memcpy(memory->weight, old.weight, sizeof old.weight);
		memcpy(memory->vertex, old.vertex, sizeof old.vertex);
	}
	return list;
}

static JsonNode *verdict(const Witness *witness)
{
	if (witness == NULL)
		return NULL;
	g_autoptr(JsonBuilder) builder = json_builder_new();
	json_builder_begin_object(builder);
	witness_put_proof(witness, builder);
	json_builder_end_object(builder);
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	return json_node_copy(json_object_get_member(json_node_get_object(root), "proof"));
}

static Settled *report(const Simulation *settling, const SceneSettle *how)
{
	Settled *settled = g_new0(Settled, 1);
	settled->time = how->time;
	settled->damping = how->damping;
	settled->position = g_new(Vec3, world_vertex_count(settling->scene->world) + 1);
	simulation_positions(settling, (double *)(void *)settled->position);
	settled->speed = mean_speed(settling);
	settled->wall_seconds = settling->wall_seconds;
	settled->events = avi_event_count(settling->avi);
	settled->deepest = settling->contact != NULL ? settling->contact->count.deepest : 0;
	settled->proof = verdict(settling->witness);
	settled->pairs = springs_of(settling->contact);
	return settled;
}

static Settled *settle_as(const Scene *scene, Simulation *settling, const SettleWatch *watch, GError **error)
{
	if (watch->threads > 0)
		settling->threads = watch->threads;
	Witness *witness = watch->judge ? witness_new(settling, true) : NULL; /* it looks on */
	Settled *settled = go(settling, watch, error) ? report(settling, &scene->settle) : NULL;
	witness_free(witness);
	return settled;
}

Settled *settle(const Scene *scene, const SettleWatch *watch, GError **error)
{
	static const SettleWatch nobody = {0};
	GError *problem = NULL;
	if (scene->settle.time == 0.0)
		return NULL;
	Scene *still = scene_of_settling(scene, error);
	if (still == NULL)
		return NULL;
	Simulation *settling = simulation_new(still, &problem);
	Settled *settled = settling ? settle_as(scene, settling, watch ? watch : &nobody, &problem) : NULL;
	simulation_free(settling);
	if (problem != NULL)
		g_propagate_prefixed_error(error, problem, "while settling: ");
	return settled;
}

void settled_put(const Settled *settled, JsonBuilder *builder)
{
	json_builder_set_member_name(builder, "settling");
	json_builder_begin_object(builder);
	json_put_number(builder, "time", settled->time);
	json_put_number(builder, "damping", settled->damping);
	json_put_number(builder, "speed", settled->speed);
	json_put_number(builder, "wall_seconds", settled->wall_seconds);
	json_put_count(builder, "events", settled->events);
	json_put_count(builder, "deepest_layer", settled->deepest);
	if (settled->proof != NULL) {
		json_builder_set_member_name(builder, "proof");
		json_builder_add_value(builder, json_node_copy(settled->proof));
	}
	json_builder_end_object(builder);
}
