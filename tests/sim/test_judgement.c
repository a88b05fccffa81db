/* Logs that were cut or changed: every one of a thousand is found, and nothing in the originals: ten, and with CINCH_FULL as many. */
#include "io/motion.h"
#include "sim/judgement.h"
#include "sim/witness.h"
#include "support/random.h"
#include "support/scenes.h"
#include <stdlib.h>
#include <string.h>

/* Two beads fall on a sheet, with random velocities; the second is taken away. */
static const char *scene =
    "{'units': 'si', 'materials': {'m': {'young': 2e4, 'thickness': 0.001, 'density': 300, 'particle_mass': 0.01}},"
    " 'meshes': [{'name': 'beads', 'generate': 'particles', 'positions': [[0.03, 0.02, 0.03], [0.1, 0.05, 0.02]], 'material': 'm',"
    "   'random_velocity': [0.1, 0.1, 0.1], 'seed': %d},"
    "  {'name': 'sheet', 'generate': 'sheet', 'size': [0.4, 0.4], 'cells': [2, 2], 'material': 'm',"
    "   'rotate': [{'axis': [1, 0, 0], 'angle': -90}]},"
    "  {'name': 'other', 'generate': 'particles', 'positions': [[-0.1, -0.02, 0.03]], 'material': 'm'}],"
    " 'pins': ['sheet.corners'], 'scripts': [{'body': 'other', 'remove_at': 0.004}],"
    " 'contact': {'eta1': 0.01}, 'time': {'end': 0.02}}";

static char *path;

static void set_up(void)
{
	int file = g_file_open_tmp("cinch-log-XXXXXX", &path, NULL);
	cr_assert_geq(file, 0);
	close(file);
}

static void tear_down(void)
{
	g_unlink(path);
	g_free(path);
}

TestSuite(judgement, .init = set_up, .fini = tear_down);

/* Writes a log to the path; returns its bytes. */
static uint8_t *write_log(int seed, size_t *size, char fingerprint[65])
{
	g_autofree char *format = g_strdelimit(g_strdup(scene), "'", '"');
	Simulation *simulation = scenes_loadf(format, seed);
	GError *error = NULL;
	Witness *witness = witness_new(simulation, true);
	cr_assert(witness_begin_log(witness, path, &error));
	scenes_advance(simulation, 0.02);
	cr_assert(witness_finish(witness, &error) && witness_end_log(witness, true, true, &error));
	g_strlcpy(fingerprint, witness_fingerprint(witness), 65);
	witness_free(witness);
	simulation_free(simulation);
	char *bytes = NULL;
	cr_assert(g_file_get_contents(path, &bytes, size, NULL));
	return (uint8_t *)bytes;
}

/* Not by g_file_set_contents(), which waits for the disk. */
static void put(const uint8_t *bytes, size_t size)
{
	FILE *file = g_fopen(path, "wb");
	cr_assert(file != NULL && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

/* 0 PASS, 1 FAIL, 2: cannot be read. */
static int judge(const uint8_t *bytes, size_t size)
{
	GError *error = NULL;
	put(bytes, size);
	Judgement *judgement = judgement_of_log(path, 1, &error);
	int status = judgement == NULL ? 2 : judgement->failure != NULL;
	cr_assert((judgement == NULL) == (error != NULL));
	g_clear_error(&error);
	judgement_free(judgement);
	return status;
}

Test(judgement, finds_a_thousand_logs_that_were_cut_or_changed)
{
	random_seed = 31;
	int cut = 0, flipped = 0, rounds = getenv("CINCH_FULL") ? 1000 : 10;
	for (int round = 0; round < rounds; round++) {
		size_t size;
		char fingerprint[65];
		g_autofree uint8_t *good = write_log(round, &size, fingerprint);
		cr_assert_eq(judge(good, size), 0, "the original is good");
		g_autofree uint8_t *bad = g_malloc(size);
		for (int i = 0; i < 1000 / rounds; i++) {
			size_t length = (size_t)random_below((int)size);
			cut += judge(good, length) != 0;
			memcpy(bad, good, size);
			bad[random_below((int)size)] ^= (uint8_t)(1 << random_below(8));
			flipped += judge(bad, size) != 0;
		}
	}
	cr_log_info("%d of 1000 cut logs and %d of 1000 with a flipped bit found, none in the %d originals", cut, flipped, rounds);
	cr_assert_eq(cut, 1000);
	cr_assert_eq(flipped, 1000);
}

Test(judgement, has_the_fingerprint_of_the_run)
{
	size_t size;
	char fingerprint[65];
	g_free(write_log(3, &size, fingerprint));
	Judgement *judgement = judgement_of_log(path, 1, NULL);
	cr_assert_str_eq(judgement->fingerprint, fingerprint);
	cr_assert_eq(judgement->complete, true);
	cr_assert_eq(checker_verdict(judgement->checker)->to, 0.02);
	judgement_free(judgement);
}

/* The blocks of a log, sealed again after one record was changed: no hash knows, but its end and the judge do. */
Test(judgement, finds_a_record_that_was_forged)
{
	random_seed = 32;
	size_t size;
	char fingerprint[65];
	g_autofree uint8_t *good = write_log(4, &size, fingerprint);
	g_autofree char *forged = g_strconcat(path, ".forged", NULL);
	for (int round = 0; round < 50; round++) {
		put(good, size);
		MotionReader *reader = motion_open(path, NULL);
		MotionWriter *writer = motion_create(forged, NULL);
		MotionBlock block;
		while (motion_read(reader, &block, NULL)) {
			g_autofree uint8_t *data = g_memdup2(block.data, block.size);
			size_t records = block.size / MOTION_RECORD;
			if (strcmp(block.kind, "MOVE") == 0 && records > 100)
				data[(size_t)random_below((int)records - 20) * MOTION_RECORD + 8 + (size_t)random_below(24)] ^= 1;
			cr_assert(motion_write(writer, block.kind, block.width, data, block.size, NULL));
		}
		motion_reader_free(reader);
		cr_assert(motion_close(writer, NULL));
		Judgement *judgement = judgement_of_log(forged, 1, NULL);
		cr_assert_not_null(judgement->failure);
		judgement_free(judgement);
	}
	g_unlink(forged);
}
