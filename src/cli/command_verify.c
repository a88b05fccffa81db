/* The verdict on what is there: an archive, a log of commits, or frames of another program. */
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/summary.h"
#include "core/error.h"
#include "io/motion.h"
#include "sim/json_put.h"
#include "sim/judgement.h"
#include "sim/verification.h"
#include <stdio.h>
#include <string.h>

typedef struct {
	char *from;     /* a checkpoint */
	char *frames;   /* a folder with those of another program */
	char *evidence; /* OBJ file; NULL: named after what is verified */
	int threads;
	gboolean json, quiet;
} Options;

/* Writes what a violation is about; its name, or NULL when there is nothing to show. */
static char *write_evidence(const Options *options, const char *path, const Witness *witness)
{
	if (!witness_has_evidence(witness))
		return NULL;
	g_autoptr(GError) problem = NULL;
	g_autofree char *name = options->evidence ? g_strdup(options->evidence) : g_strconcat(path, ".violation.obj", NULL);
	if (witness_write_evidence(witness, name, &problem))
		return g_steal_pointer(&name);
	command_fail(g_steal_pointer(&problem));
	return NULL;
}

static void print_json(const Verification *verification, const char *path, const char *evidence)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	json_builder_begin_object(builder);
	json_put_text(builder, "verdict", verification->failure ? "FAIL" : "PASS");
	json_put_text(builder, "file", path);
	if (verification->failure != NULL)
		json_put_text(builder, "failure", verification->failure);
	if (evidence != NULL)
		json_put_text(builder, "evidence", evidence);
	json_put_number(builder, "from", verification->from);
	json_put_number(builder, "to", verification->to);
	json_put_count(builder, "frames", verification->n_frames);
	json_put_number(builder, "balance", verification->balance);
	json_put_flag(builder, "complete", verification->complete);
	json_put_flag(builder, "was_proved", verification->was_proved);
	json_put_flag(builder, "same_program", verification->same_program);
	witness_put_proof(verification->witness, builder);
	json_builder_end_object(builder);
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	g_autofree char *text = json_to_string(root, TRUE);
	printf("%s\n", text);
}

static void print_verdict(const CheckerVerdict *verdict, const char *unit)
{
	printf("  motion: %" G_GUINT64_FORMAT " commits in %" G_GUINT64_FORMAT " windows, %" G_GUINT64_FORMAT
	       " pairs examined, %" G_GUINT64_FORMAT " point by point, %" G_GUINT64_FORMAT " pieces exactly\n",
	    verdict->count.commits, verdict->count.windows, verdict->count.examined, verdict->count.by_way,
	    verdict->count.exactly);
	const char *space = unit[0] ? " " : "";
	if (verdict->distance >= verdict->reach)
		printf("  separation: nothing came closer than %.6g%s%s\n", verdict->reach, space, unit);
	else if (verdict->distance > 0.0)
		printf("  separation: never below %.6g%s%s\n", verdict->distance, space, unit);
	if (verdict->gap < verdict->distance && verdict->gap > 0.0)
		printf("  less thickness: never below %.6g%s%s\n", verdict->gap, space, unit);
}

static void print_topology(const Witness *witness)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	json_builder_begin_object(builder);
	witness_put_proof(witness, builder);
	json_builder_end_object(builder);
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	summary_print_topology(json_object_get_object_member(json_node_get_object(root), "proof"));
}

static void print_text(const Verification *verification, const char *path, const char *evidence)
{
	if (verification->failure != NULL) {
		printf("FAIL %s: %s\n", path, verification->failure);
		if (evidence != NULL)
			printf("  both are in %s\n", evidence);
	} else {
		printf("PASS %s: nothing touched from t = %.9g to %.9g s%s\n", path, verification->from, verification->to,
		    verification->complete ? "" : " (the run had not come to its end)");
	}
	printf("  frames: %zu came out bit for bit, and nothing intersects in them\n", verification->n_frames);
	print_verdict(witness_verdict(verification->witness), verification->simulation->scene->world->units->length);
	print_topology(verification->witness);
	if (verification->failure != NULL)
		return;
	printf("  ledger: it closes; the largest balance is %.3g of what the energies changed by\n", verification->balance);
	if (verification->was_proved)
		printf("  the archive's own verdict is about this scene and this motion%s\n",
		    verification->same_program ? ", by this program" : ", by another program");
	printf("  fingerprint: %s\n", witness_fingerprint(verification->witness));
}

static void show_progress(double time, void *data)
{
	progress_update(data, time, 0, 0);
}

static int verify_archive(const char *path, const Options *options)
{
	GError *error = NULL;
	Progress progress;
	double end = 0.0;
	VerificationOptions wanted = {options->from, (unsigned)options->threads, show_progress, &progress};
	g_autoptr(Archive) archive = archive_open(path, &error);
	if (archive == NULL)
		return command_fail(error);
	end = archive->n_frames > 0 ? archive->time[archive->n_frames - 1] : 0.0;
	progress_begin(&progress, !options->quiet && !options->json, 0.0, end);
	g_autoptr(Verification) verification = verification_of_archive(path, &wanted, &error);
	progress_end(&progress);
	if (verification == NULL)
		return command_fail(error);
	g_autofree char *evidence = write_evidence(options, path, verification->witness);
	if (options->json)
		print_json(verification, path, evidence);
	else if (!options->quiet || verification->failure != NULL)
		print_text(verification, path, evidence);
	return verification->failure ? 4 : 0;
}

/* ---- what was not simulated here ---- */

static char *write_judgement_evidence(const Options *options, const char *path, const Judgement *judgement)
{
	g_autoptr(GError) problem = NULL;
	if (!judgement_has_evidence(judgement))
		return NULL;
	g_autofree char *name = options->evidence ? g_strdup(options->evidence) : g_strconcat(path, ".violation.obj", NULL);
	if (judgement_write_evidence(judgement, name, &problem))
		return g_steal_pointer(&name);
	command_fail(g_steal_pointer(&problem));
	return NULL;
}

static void print_judgement_json(const Judgement *judgement, const char *path, const char *evidence)
{
	g_autoptr(JsonBuilder) builder = json_builder_new();
	json_builder_begin_object(builder);
	json_put_text(builder, "file", path);
	judgement_put(judgement, builder);
	if (evidence != NULL)
		json_put_text(builder, "evidence", evidence);
	json_builder_end_object(builder);
	g_autoptr(JsonNode) root = json_builder_get_root(builder);
	g_autofree char *text = json_to_string(root, TRUE);
	printf("%s\n", text);
}

static void print_log(const Judgement *judgement)
{
	printf("  log: %" G_GUINT64_FORMAT " blocks%s\n", judgement->n_blocks,
	    judgement->failure ? "" : judgement->complete ? ", whole" : ", whole; the run that wrote it ended early");
	if (judgement->scene != NULL && judgement->scene_sha256 != NULL)
		printf("  scene: %s, %s\n", judgement->scene, judgement->scene_sha256);
	if (judgement->fingerprint != NULL)
		printf("  fingerprint: %s\n", judgement->fingerprint);
}

static void print_judgement(const Judgement *judgement, const char *path, const char *evidence)
{
	const CheckerVerdict *verdict = judgement->checker ? checker_verdict(judgement->checker) : NULL;
	if (judgement->failure != NULL)
		printf("FAIL %s: %s\n", path, judgement->failure);
	else if (judgement->is_log)
		printf("PASS %s: nothing touched from t = %.9g to %.9g s\n", path, verdict->from, verdict->to);
	else
		printf("PASS %s: nothing touched in %zu frames, nor on straight ways from each to the next\n", path, judgement->n_frames);
	if (evidence != NULL)
		printf("  both are in %s\n", evidence);
	if (!judgement->is_log)
		printf("  frames: %zu, of which %zu have intersections; between them vertices are assumed to go straight\n",
		    judgement->n_frames, judgement->n_intersecting);
	if (verdict != NULL)
		print_verdict(verdict, judgement->subject->length);
	if (judgement->is_log)
		print_log(judgement);
}

/* Frees the judgement. */
static int tell_judgement(Judgement *judgement, GError *error, const char *path, const Options *options)
{
	if (judgement == NULL)
		return command_fail(error);
	g_autofree char *evidence = write_judgement_evidence(options, path, judgement);
	int status = judgement->failure ? 4 : 0;
	if (options->json)
		print_judgement_json(judgement, path, evidence);
	else if (!options->quiet || status != 0)
		print_judgement(judgement, path, evidence);
	judgement_free(judgement);
	return status;
}

static int verify(int argc, char **argv, const Options *options)
{
	GError *error = NULL;
	unsigned threads = options->threads > 0 ? (unsigned)options->threads : g_get_num_processors();
	if (options->threads < 0 || options->threads > 1024)
		return command_fail_usage("verify", "--threads %d: expected a number from 1 to 1024, or 0 for all processors",
		    options->threads);
	if (options->frames != NULL && argc == 1 && options->from == NULL) {
		Judgement *judgement = judgement_of_frames(options->frames, threads, &error);
		return tell_judgement(judgement, error, options->frames, options);
	}
	if (options->frames != NULL)
		return command_fail_usage("verify", "--frames %s: expected no archive and no checkpoint besides", options->frames);
	if (argc != 2)
		return command_fail_usage("verify", "expected one archive or log, or --frames with a folder");
	if (!motion_is_log(argv[1]))
		return verify_archive(argv[1], options);
	if (options->from != NULL)
		return command_fail_usage("verify", "--from %s: is for archives; %s is a log", options->from, argv[1]);
	Judgement *judgement = judgement_of_log(argv[1], threads, &error);
	return tell_judgement(judgement, error, argv[1], options);
}

int command_verify(int argc, char **argv)
{
	Options options = {0};
	const GOptionEntry entries[] = {
	    {"frames", 0, 0, G_OPTION_ARG_FILENAME, &options.frames,
	        "Judge the frames of any program: a folder of OBJ or PLY files", "DIR"},
	    {"from", 0, 0, G_OPTION_ARG_FILENAME, &options.from, "Begin with a checkpoint of the run instead of its start",
	        "FILE"},
	    {"evidence", 0, 0, G_OPTION_ARG_FILENAME, &options.evidence,
	        "Where to write what touches (default: the file's name with .violation.obj)", "FILE"},
	    {"threads", 0, 0, G_OPTION_ARG_INT, &options.threads, "Threads (default: all processors)", "N"},
	    {"json", 0, 0, G_OPTION_ARG_NONE, &options.json, "Print the verdict as JSON", NULL},
	    {"quiet", 'q', 0, G_OPTION_ARG_NONE, &options.quiet, "Print nothing when it passes", NULL},
	    G_OPTION_ENTRY_NULL};
	int status;
	if (command_parse("A.h5 | LOG",
	        "Verifies an archive: simulates its scene again, compares every frame bit for bit, and proves that nothing "
	        "touched,\nbetween the frames too (docs/guarantees.md). Or a log of a motion (cinch run --log): that it is whole, "
	        "and\nthat nothing touched. Or frames of another program (--frames), with straight motion from each to the "
	        "next.\nExit status: 0 PASS, 4 FAIL.",
	        entries, &argc, &argv, &status))
		status = verify(argc, argv, &options);
	g_free(options.from);
	g_free(options.frames);
	g_free(options.evidence);
	return status;
}
