/* Long runs without losses: the energy stays in a band that shrinks with the square of the steps and has no trend, and
 * a free body keeps its momenta. */
#include "support/scenes.h"

enum { TICKS = 100000, SAMPLES = 2000, BLOCKS = 20 };

/* A square plate clamped on two sides, let go in a gravity of a tenth of ours and struck: stretching, bending and gravity,
 * each on its own clocks. */
static const char *vibrating =
    "{'units': 'si', 'materials': {'m': {'young': 2e7, 'poisson': 0.3, 'thickness': 0.004, 'density': 500}},"
    " 'meshes': [{'name': 'sheet', 'generate': 'sheet', 'size': [1, 1], 'cells': [8, 8], 'material': 'm'}],"
    " 'sets': {'middle': {'body': 'sheet', 'box': [[-0.2, -0.2, -1], [0.2, 0.2, 1]]}},"
    " 'pins': ['sheet.left2', 'sheet.right2'], 'gravity': [0, 0, -1],"
    " 'time': {'end': 1000, 'safety': %.17g, 'load_step': %.17g, 'max_step': 1}}";

/* A curved strip, thrown and spinning about an axis of its own, that flexes as it flies. */
static const char *spinning =
    "{'units': 'si', 'materials': {'m': {'young': 2e5, 'poisson': 0.3, 'thickness': 0.004, 'density': 500}},"
    " 'meshes': [{'name': 'sheet', 'generate': 'sheet', 'size': [1, 0.7], 'cells': [8, 6], 'material': 'm',"
    "             'velocity': [0.3, -0.2, 0.5], 'spin': [2, 1, 3]}],"
    " 'gravity': [0, 0, 0], 'time': {'end': 1000, 'safety': %.17g, 'load_step': %.17g, 'max_step': 1}}";

typedef struct {
	double span;         /* [s] simulated */
	double energy[SAMPLES], momentum[SAMPLES][6];
	double mean, band;   /* of the energy: its mean, and largest minus smallest */
	double moving;       /* [energy] largest kinetic energy: what the band is to be compared with */
	double slope, error; /* [energy/span] of the straight line through block means, and its standard error */
} Record;

/* The straight line through the means of blocks, each of which is long enough to forget the one before. */
static void fit_line(Record *record)
{
	double mean[BLOCKS] = {0}, sum_xy = 0.0, sum_xx = 0.0, residual = 0.0;
	const int per_block = SAMPLES / BLOCKS;
	for (int i = 0; i < SAMPLES; i++)
		mean[i / per_block] += (record->energy[i] - record->mean) / per_block;
	for (int b = 0; b < BLOCKS; b++) {
		double x = (b + 0.5) / BLOCKS - 0.5;
		sum_xy += x * mean[b];
		sum_xx += x * x;
	}
	record->slope = sum_xy / sum_xx;
	for (int b = 0; b < BLOCKS; b++) {
		double x = (b + 0.5) / BLOCKS - 0.5, off = mean[b] - record->slope * x;
		residual += off * off;
	}
	record->error = sqrt(residual / (BLOCKS - 2) / sum_xx);
}

static void summarise(Record *record)
{
	double low = INFINITY, high = -INFINITY;
	record->mean = 0.0;
	for (int i = 0; i < SAMPLES; i++) {
		low = fmin(low, record->energy[i]);
		high = fmax(high, record->energy[i]);
		record->mean += record->energy[i] / SAMPLES;
	}
	record->band = high - low;
	fit_line(record);
}

/* Runs for TICKS ticks of the fastest clock at safety 0.3 (and for the same time when the steps are divided), after as
 * many in which the first motion spreads over all modes. While it does, the energy changes within its band: short waves,
 * for which the scheme's own energy differs more from the true one, take their share. That is no drift, but looks like
 * one. */
static Record *run(const char *scene, double divisor)
{
	g_autofree char *format = g_strdelimit(g_strdup(scene), "'", '"');
	Record *record = g_new0(Record, 1);
	double least, most;
	Simulation *coarse = scenes_loadf(format, 0.3, 0.001);
	simulation_steps(coarse, &least, &most);
	record->span = TICKS * least;
	simulation_free(coarse);
	Simulation *simulation = scenes_loadf(format, 0.3 / divisor, 0.001 / divisor);
	/* Struck: a smooth bump of velocity in the middle. */
	for (uint32_t i = 0; i < world_vertex_count(simulation->scene->world); i++) {
		Flight *flight = &simulation->flight[i];
		double r2 = flight->x.x * flight->x.x + flight->x.y * flight->x.y;
		if (flight->inverse_mass > 0.0)
			flight->v.z += 0.1 * exp(-20.0 * r2);
	}
	for (int i = 0; i < SAMPLES; i++) {
		double row[LEDGER_N];
		scenes_advance(simulation, record->span * (1.0 + (i + 1.0) / SAMPLES));
		ledger_compute(simulation, simulation->avi->time, row);
		record->moving = fmax(record->moving, row[LEDGER_KINETIC]);
		record->energy[i] = row[LEDGER_TOTAL];
		memcpy(record->momentum[i], row + LEDGER_MOMENTUM, sizeof record->momentum[i]);
	}
	simulation_free(simulation);
	summarise(record);
	return record;
}

static void check_band(const char *name, const char *scene, Record **kept)
{
	Record *coarse = run(scene, 1.0), *fine = run(scene, 2.0);
	double moving = coarse->moving, ratio = coarse->band / fine->band;
	cr_log_info("%s: band %.2e of the moving energy over %d ticks, %.2e with half steps (ratio %.2f); slope %.1e +- %.1e",
	    name, coarse->band / moving, TICKS, fine->band / moving, ratio, coarse->slope / moving, coarse->error / moving);
	cr_assert(coarse->band < 0.01 * moving, "%s: the band is %g of %g", name, coarse->band, moving);
	/* Second order: 4, give or take what the phases of several clocks do to the largest of 2000 samples. */
	cr_assert(ratio > 3.0 && ratio < 5.5, "%s: halving the steps divides the band by %g", name, ratio);
	Record *records[2] = {coarse, fine};
	for (int k = 0; k < 2; k++) {
		/* Three standard errors; and in any case far less than the band. */
		cr_assert(fabs(records[k]->slope) < 3.0 * records[k]->error, "%s: trend %g +- %g", name, records[k]->slope,
		    records[k]->error);
		cr_assert(fabs(records[k]->slope) < 0.1 * records[k]->band, "%s: trend", name);
	}
	g_free(fine);
	if (kept != NULL)
		*kept = coarse;
	else
		g_free(coarse);
}

Test(energy, vibrating_sheet_stays_in_its_band, .timeout = 600)
{
	check_band("vibrating sheet", vibrating, NULL);
}

Test(energy, spinning_sheet_stays_in_its_band_and_keeps_its_momenta, .timeout = 600)
{
	Record *record;
	check_band("spinning sheet", spinning, &record);
	double worst = 0.0;
	for (int half = 0; half < 2; half++) {
		double *first = record->momentum[0] + 3 * half, size = 0.0;
		for (int axis = 0; axis < 3; axis++)
			size += first[axis] * first[axis];
		for (int i = 0; i < SAMPLES; i++)
			for (int axis = 0; axis < 3; axis++)
				worst = fmax(worst, fabs(record->momentum[i][3 * half + axis] - first[axis]) / sqrt(size));
	}
	cr_log_info("momenta change by %.1e of themselves in %d ticks", worst, TICKS);
	cr_assert(worst < 1e-10, "momenta change by %g", worst);
	g_free(record);
}
