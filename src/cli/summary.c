#include "cli/summary.h"
#include <stdbool.h>
#include <json-glib/json-glib.h>
#include <stdio.h>

static double number(JsonObject *object, const char *key)
{
	return json_object_get_double_member_with_default(object, key, 0.0);
}

static void print_forces(JsonArray *forces)
{
	printf("  %-20s %9s %7s %11s %11s %12s %14s %9s\n", "force", "elements", "clocks", "slowest [s]", "fastest [s]",
	    "events", "evaluations", "time [s]");
	for (guint i = 0; i < json_array_get_length(forces); i++) {
		JsonObject *force = json_array_get_object_element(forces, i);
		printf("  %-20s %9.0f %7.0f %11.3g %11.3g %12.0f %14.0f %9.2f\n",
		    json_object_get_string_member_with_default(force, "name", "?"), number(force, "elements"),
		    number(force, "clocks"), number(force, "largest_step"), number(force, "smallest_step"),
		    number(force, "events"), number(force, "evaluations"), number(force, "seconds"));
	}
}

static void print_kinds(JsonArray *kinds)
{
	for (guint i = 0; i < json_array_get_length(kinds); i++) {
		JsonObject *kind = json_array_get_object_element(kinds, i);
		if (number(kind, "events") > 0.0)
			printf("  %-20s %12.0f events %9.2f s\n",
			    json_object_get_string_member_with_default(kind, "name", "?"), number(kind, "events"),
			    number(kind, "seconds"));
	}
}

static void print_contact(JsonObject *contact)
{
	double gap = number(contact, "smallest_gap");
	printf("  contact (%s): eta1 %.4g, r1 %.4g; ", json_object_get_string_member_with_default(contact, "detect", "?"),
	    number(contact, "eta1"), number(contact, "r1"));
	if (gap < 0.0)
		printf("nothing touched\n");
	else
		printf("deepest layer %.0f, smallest gap %.4g, at most %.0f pairs in range of a vertex\n",
		    number(contact, "deepest_layer"), gap, number(contact, "most_crowded"));
	printf("  %-20s %12.0f ticks %14.0f pairs examined %14.0f in range %9.2f s\n", "layers", number(contact, "ticks"),
	    number(contact, "evaluations"), number(contact, "in_range"), number(contact, "layer_seconds"));
	printf("  %-20s %12.0f alive %14.0f failed %14.0f rescheduled (%.0f per force event) %9.2f s\n", "certificates",
	    number(contact, "certificates"), number(contact, "failed"), number(contact, "rescheduled"),
	    number(contact, "rescheduled_per_force_event"), number(contact, "certificate_seconds"));
	printf("  %-20s %12.0f pairs %14.0f layers of pairs awake %9.0f steps halved\n", "now", number(contact, "pairs"),
	    number(contact, "layers_awake"), number(contact, "halvings"));
}

static bool has_list_of_objects(JsonObject *object, const char *key)
{
	JsonNode *node = json_object_get_member(object, key);
	if (node == NULL || !JSON_NODE_HOLDS_ARRAY(node))
		return false;
	JsonArray *array = json_node_get_array(node);
	for (guint i = 0; i < json_array_get_length(array); i++)
		if (!JSON_NODE_HOLDS_OBJECT(json_array_get_element(array, i)))
			return false;
	return true;
}

static void print_ribbon(JsonObject *ribbon)
{
	JsonNode *edges = json_object_get_member(ribbon, "edges");
	printf("  %-20s writhe from %.4g to %.4g", json_object_get_string_member_with_default(ribbon, "name", "?"),
	    number(ribbon, "writhe_first"), number(ribbon, "writhe_last"));
	if (edges != NULL && JSON_NODE_HOLDS_VALUE(edges))
		printf(", its edges linked %" G_GINT64_FORMAT " times", json_node_get_int(edges));
	if (number(ribbon, "lost") > 0.0)
		printf("; not followed over %.0f steps between frames", number(ribbon, "lost"));
	printf("\n");
}

void summary_print_topology(JsonObject *proof)
{
	JsonNode *node = json_object_get_member(proof, "topology");
	JsonObject *topology = node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
	if (topology == NULL || !has_list_of_objects(topology, "ribbons") || !has_list_of_objects(topology, "links"))
		return;
	JsonArray *ribbons = json_object_get_array_member(topology, "ribbons");
	JsonArray *links = json_object_get_array_member(topology, "links");
	const char *failure = json_object_get_string_member_with_default(topology, "failure", NULL);
	printf("  topology: %.0f frames, %s\n", number(topology, "frames"), failure ? failure : "nothing has come undone");
	for (guint i = 0; i < json_array_get_length(ribbons); i++)
		print_ribbon(json_array_get_object_element(ribbons, i));
	for (guint i = 0; i < json_array_get_length(links); i++) {
		JsonObject *link = json_array_get_object_element(links, i);
		g_autofree char *pair = g_strdup_printf("%s and %s", json_object_get_string_member_with_default(link, "a", "?"),
		    json_object_get_string_member_with_default(link, "b", "?"));
		printf("  %-20s linked %.0f times\n", pair, number(link, "linking"));
	}
}

static void print_proof(JsonObject *proof)
{
	bool pass = g_str_equal(json_object_get_string_member_with_default(proof, "verdict", ""), "PASS");
	double separation = number(proof, "separation"), reach = number(proof, "reach");
	printf("  proof: %s from %.6g to %.6g s: ", pass ? "PASS, nothing touched" : "FAIL", number(proof, "from"),
	    number(proof, "to"));
	if (separation > 0.0)
		printf("never closer than %.4g%s\n", separation, separation >= reach ? " (the reach)" : "");
	else
		printf("no bound of the separation\n");
	if (number(proof, "gap") != separation)
		printf("  %-20s %.4g\n", "less thickness", number(proof, "gap"));
	printf("  %-20s %12.0f segments %11.0f pairs examined %10.0f point by point %8.0f exactly %9.2f s\n", "motion",
	    number(proof, "segments"), number(proof, "examined"), number(proof, "by_way"), number(proof, "exactly"),
	    number(proof, "seconds"));
	if (json_object_has_member(proof, "motion_fingerprint"))
		printf("  %-20s %s\n", "fingerprint", json_object_get_string_member(proof, "motion_fingerprint"));
	summary_print_topology(proof);
	JsonArray *excluded = json_object_has_member(proof, "excluded") ? json_object_get_array_member(proof, "excluded") : NULL;
	for (guint i = 0; excluded != NULL && i < json_array_get_length(excluded); i++)
		printf("  %-20s %s\n", i == 0 ? "not looked at" : "", json_array_get_string_element(excluded, i));
}

void summary_print(const char *json)
{
	g_autoptr(JsonParser) parser = json_parser_new();
	if (!json_parser_load_from_data(parser, json, -1, NULL))
		return;
	JsonNode *root = json_parser_get_root(parser);
	if (root == NULL || !JSON_NODE_HOLDS_OBJECT(root))
		return;
	JsonObject *summary = json_node_get_object(root);
	double wall = number(summary, "wall_seconds"), events = number(summary, "events");
	printf("%.6g s simulated in %.2f s: %.0f events (%.3g per second), %.0f threads, %.1f MB\n", number(summary, "time"),
	    wall, events, wall > 0.0 ? events / wall : 0.0, number(summary, "threads"),
	    number(summary, "memory_bytes") / 1e6);
	if (has_list_of_objects(summary, "kinds"))
		print_kinds(json_object_get_array_member(summary, "kinds"));
	if (has_list_of_objects(summary, "forces"))
		print_forces(json_object_get_array_member(summary, "forces"));
	JsonNode *contact = json_object_get_member(summary, "contact");
	if (contact != NULL && JSON_NODE_HOLDS_OBJECT(contact))
		print_contact(json_node_get_object(contact));
	JsonNode *proof = json_object_get_member(summary, "proof");
	if (proof != NULL && JSON_NODE_HOLDS_OBJECT(proof))
		print_proof(json_node_get_object(proof));
	printf("  %-20s %33.2f s\n", "queue and loop", number(summary, "queue_seconds"));
}

void summary_print_ledger(const char *const *names, const char *const *units, const double *first, const double *last)
{
	printf("  %-22s %16s %16s\n", "ledger", "first", "last");
	for (int i = 0; names[i]; i++)
		printf("  %-22s %16.9g %16.9g %s\n", names[i], first[i], last[i], units[i]);
}
