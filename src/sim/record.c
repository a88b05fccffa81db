/* Recording a simulation: the archive's header, its frames, its summary. */
#include "core/error.h"
#include "sim/instrument.h"
#include "sim/json_put.h"
#include "sim/ledger.h"
#include "sim/settle.h"
#include "sim/simulation.h"
#include "sim/witness.h"
#include "version.h"

static ArchiveBody *bodies_of(const World *world)
{
	ArchiveBody *bodies = g_new0(ArchiveBody, world->bodies->len + 1);
	for (guint i = 0; i < world->bodies->len; i++) {
		const Body *body = world->bodies->pdata[i];
		bodies[i] = (ArchiveBody){
		    .name = body->name,
		    .material = body->material->name,
		    .first_vertex = body->first_vertex,
		    .n_vertices = body->n_vertices,
		    .first_triangle = body->first_triangle,
		    .n_triangles = body->n_triangles,
		    .first_edge = body->first_edge,
		    .n_edges = body->n_edges,
		    .first_particle = body->first_particle,
		    .n_particles = body->n_particles,
		};
	}
	return bodies;
}

static ArchiveFile *files_of(const Scene *scene)
{
	ArchiveFile *files = g_new0(ArchiveFile, scene->files->len + 1);
	for (guint i = 0; i < scene->files->len; i++) {
		const SceneFile *file = scene->files->pdata[i];
		files[i] = (ArchiveFile){file->name, file->data, file->length};
	}
	return files;
}

static ArchiveWriter *create(
    const Simulation *simulation, const char *path, Archive *earlier, size_t n_frames, GError **error)
{
	const Scene *scene = simulation->scene;
	const World *world = scene->world;
	g_autofree ArchiveBody *bodies = bodies_of(world);
	g_autofree ArchiveFile *files = files_of(scene);
	g_autoptr(GArray) fields = instrument_fields(simulation);
	ArchiveColumn columns[LEDGER_N];
	for (int i = 0; i < LEDGER_N; i++)
		columns[i] = (ArchiveColumn){ledger_name(i), ledger_unit(i, world->units)};
	ArchiveHeader header = {
	    .version = CINCH_VERSION,
	    .build = CINCH_BUILD,
	    .units = world->units->name,
	    .length_unit = world->units->length,
	    .time_unit = world->units->time,
	    .scene_name = scene->name,
	    .scene_source = scene->source,
	    .scene_effective = scene->effective,
	    .lineage = simulation->lineage,
	    .files = files,
	    .n_files = scene->files->len,
	    .frame_interval = scene->frame,
	    .end_time = scene->end,
	    .n_vertices = world_vertex_count(world),
	    .n_triangles = world->triangle->len,
	    .n_edges = world->edge->len,
	    .n_particles = world->particle->len,
	    .n_bodies = world->bodies->len,
	    .n_columns = LEDGER_N,
	    .rest = (const double *)(void *)world->rest->data,
	    .mass = (const double *)(void *)world->mass->data,
	    .held = (const uint8_t *)world->held->data,
	    .triangle = (const uint32_t(*)[3])(void *)world->triangle->data,
	    .edge = (const uint32_t(*)[2])(void *)world->edge->data,
	    .particle = (const uint32_t *)(void *)world->particle->data,
	    .bodies = bodies,
	    .removed = simulation->removal,
	    .columns = columns,
	    .fields = (const ArchiveField *)(void *)fields->data,
	    .n_fields = fields->len,
	};
	return archive_create_after(path, &header, earlier, n_frames, error);
}

bool simulation_record(Simulation *simulation, const char *path, GError **error)
{
	if (simulation->archive != NULL)
		return error_set(error, CINCH_ERROR_INPUT, "%s: this simulation is being recorded already", path);
	simulation->archive = create(simulation, path, NULL, 0, error);
	if (simulation->archive == NULL)
		return false;
	if (!simulation_write_frame(simulation, simulation->avi->time, error))
		return false;
	simulation_schedule_frame(simulation);
	return true;
}

bool simulation_record_after(
    Simulation *simulation, const char *path, Archive *earlier, size_t n_frames, GError **error)
{
	simulation->archive = create(simulation, path, earlier, n_frames, error);
	if (simulation->archive == NULL)
		return false;
	simulation_schedule_frame(simulation);
	return true;
}

bool simulation_finish(Simulation *simulation, GError **error)
{
	if (simulation->archive == NULL)
		return true;
	g_autofree char *summary = simulation_summary(simulation);
	ArchiveWriter *archive = g_steal_pointer(&simulation->archive);
	return archive_finish(archive, summary, error);
}

static void put_fields(JsonBuilder *builder, const Simulation *simulation)
{
	json_builder_set_member_name(builder, "forces");
	json_builder_begin_array(builder);
	for (guint i = 0; i < simulation->fields->len; i++) {
		const Field *field = simulation->fields->pdata[i];
		uint64_t ticks = 0;
		for (size_t g = 0; g < field->n_groups; g++)
			ticks += field->group[g].clock.tick;
		json_builder_begin_object(builder);
		json_put_text(builder, "name", field->class->name);
		json_put_count(builder, "elements", field->n_elements);
		json_put_count(builder, "clocks", field->n_groups);
		json_put_number(builder, "largest_step", field->group[0].clock.step);
		json_put_number(builder, "smallest_step", field->group[field->n_groups - 1].clock.step);
		json_put_count(builder, "events", ticks);
		json_put_count(builder, "evaluations", field->n_evaluations);
		json_put_number(builder, "seconds", field->seconds);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
}

/* What is left of the time when handlers are taken away: the queue and the loop. */
static double queue_seconds(const Simulation *simulation)
{
	double seconds = simulation->wall_seconds;
	for (int kind = 0; kind < AVI_N_KINDS; kind++)
		seconds -= simulation->avi->count[kind].seconds;
	return fmax(seconds, 0.0);
}

/* What contact did: its layers, and the certificates that guard them. */
static void put_contact(JsonBuilder *builder, const Simulation *simulation)
{
	const Contact *contact = simulation->contact;
	if (contact == NULL)
		return;
	const ContactCount *count = &contact->count;
	DetectorCount detector = {0};
	contact->detector->class->count(contact->detector, &detector);
	uint64_t forces = simulation->avi->count[AVI_FORCE].events + simulation->avi->count[AVI_SCRIPT].events;
	json_builder_set_member_name(builder, "contact");
	json_builder_begin_object(builder);
	json_put_text(builder, "detect", contact->detector->class->name);
	json_put_number(builder, "eta1", contact->rule->eta1);
	json_put_number(builder, "r1", contact->rule->r1);
	json_put_count(builder, "deepest_layer", count->deepest);
	json_put_number(builder, "smallest_gap", isfinite(count->smallest_gap) ? count->smallest_gap : -1.0);
	json_put_count(builder, "most_crowded", count->most_crowded);
	json_put_count(builder, "ticks", count->ticks);
	json_put_count(builder, "evaluations", count->evaluations);
	json_put_count(builder, "in_range", count->in_range);
	json_put_count(builder, "halvings", count->halvings);
	json_put_count(builder, "certificates", detector.alive);
	json_put_count(builder, "most_certificates", detector.most_alive);
	json_put_count(builder, "failed", detector.failed);
	json_put_count(builder, "rescheduled", detector.rescheduled);
	json_put_number(builder, "rescheduled_per_force_event", forces ? (double)detector.rescheduled / (double)forces : 0.0);
	json_put_count(builder, "pairs", detector.pairs);
	json_put_count(builder, "layers_awake", detector.awake);
	json_put_number(builder, "layer_seconds", count->layer_seconds);
	json_put_number(builder, "certificate_seconds", count->certificate_seconds);
	json_builder_end_object(builder);
}

char *simulation_summary(const Simulation *simulation)
{
	const Avi *avi = simulation->avi;
	g_autoptr(JsonBuilder) builder = json_builder_new();
	json_builder_begin_object(builder);
	json_put_number(builder, "time", avi->time);
	json_put_number(builder, "wall_seconds", simulation->wall_seconds);
	json_put_count(builder, "threads", simulation->threads);
	json_put_count(builder, "events", avi_event_count(avi));
	json_put_count(builder, "memory_bytes", simulation_memory(simulation));
	json_builder_set_member_name(builder, "kinds");
	json_builder_begin_array(builder);
	for (int kind = 0; kind < AVI_N_KINDS; kind++) {
		if (avi->handler[kind].name == NULL)
			continue;
		json_builder_begin_object(builder);
		json_put_text(builder, "name", avi->handler[kind].name);
		json_put_count(builder, "events", avi->count[kind].events);
		json_put_number(builder, "seconds", avi->count[kind].seconds);
		json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	put_fields(builder, simulation);
	put_contact(builder, simulation);
	if (simulation->settled != NULL)
		settled_put(simulation->settled, builder);
	if (simulation->witness != NULL && witness_judges(simulation->witness))
		witness_put_proof(simulation->witness, builder);
	json_put_number(builder, "queue_seconds", queue_seconds(simulation));
	json_builder_end_object(builder);
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	return json_to_string(root, TRUE);
}
