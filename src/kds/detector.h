/* Detectors: who finds the pairs that a tick of a layer has to look at.
 *
 * A detector decides only when a layer is awake for a pair, never what it does there: a tick computes the gap of every
 * candidate, and one that is open gets nothing. So every detector gives the same motion to the last bit, as long as no
 * candidate is missing:
 *
 *   At each tick of (layer, bin) the candidates hold every pair of the bin whose gap is below eta(layer), and the clock
 *   of (layer, bin) runs whenever there is such a pair.
 *
 * All that a detector knows can be thrown away at any time and be made anew by start(). It must be: when a body is taken
 * away, the pairs that there are change (surface_leave_out()), and start() is what follows. So nothing that has been
 * derived from Surface.meets may outlive it. */
#ifndef CINCH_KDS_DETECTOR_H
#define CINCH_KDS_DETECTOR_H

#include "avi/avi.h"
#include "contact/layers.h"
#include "contact/surface.h"

/* What a detector is given, and whom it tells. */
typedef struct {
	const Surface *surface;
	const Layers *layers;
	const Flight *flight;
	Avi *avi; /* for events of kind AVI_CERTIFICATE */
	uint32_t last_layer; /* that has clocks */
	bool near_field;     /* may be proved apart by charts (chart.h) */
	CertificateRule certificates;
	GridRule grid;
	const unsigned *threads; /* that may work on one call; may change between calls */
	void *context;
	/* The clock of (layer, bin) has to run from now on. */
	void (*wake)(void *context, uint32_t layer, uint16_t bin, double time);
	/* The interval [s] between two ticks of the clock of (layer, bin), while it runs. It never gets longer. */
	double (*interval)(void *context, uint32_t layer, uint16_t bin);
	/* When it ticks next, while it runs. At an instant when it ticks, that is this instant until it has. For validation. */
	double (*next_tick)(void *context, uint32_t layer, uint16_t bin);
	/* A gap has come below what the last layer covers: the run has to stop. */
	void (*limit)(void *context, const ContactPair *pair, double time);
} DetectorSite;

typedef struct {
	uint64_t alive;         /* certificates now */
	uint64_t most_alive;    /* ever */
	uint64_t failed;        /* certificates that failed */
	uint64_t rescheduled;   /* computed anew because a flight plan changed */
	uint64_t asked;         /* looked at because one changed, whether still valid: cones */
	uint64_t by_axes[14];   /* pairs of bounds looked at, by the number of axes that it took */
	uint64_t pairs;         /* primitive pairs examined now */
	uint64_t awake;         /* (pair, layer) awake now */
	double seconds;
} DetectorCount;

typedef struct Detector Detector;

typedef struct {
	const char *name;
	Detector *(*new)(const DetectorSite *site);
	void (*free)(Detector *detector);
	/* Makes all state for the flight plans as they are at `time`, of the pairs that there are then. */
	void (*start)(Detector *detector, double time);
	/* These vertices have new flight plans from `time` on. */
	void (*changed)(Detector *detector, double time, const uint32_t *vertex, size_t n);
	/* A certificate event. */
	void (*act)(Detector *detector, uint32_t id, double time, double *next);
	/* The candidates of a tick, in the order of their keys; valid until the next call of the detector. */
	size_t (*candidates)(Detector *detector, uint32_t layer, uint16_t bin, double time, const ContactPair *const **pairs);
	/* The gaps that the tick has found, in the order of the candidates: what is open may go to sleep. */
	void (*measured)(Detector *detector, uint32_t layer, uint16_t bin, double time, const double *gap);
	/* All pairs whose gap may be below eta(1), in the order of their keys: for the ledger. */
	size_t (*near)(Detector *detector, double time, const ContactPair *const **pairs);
	void (*count)(const Detector *detector, DetectorCount *count);
	/* What is wrong at `time` (free with g_free), or NULL: whether every pair is covered, no certificate outlives what it
	 * certifies, and bounds hold what they bound. Slow: for tests and debug builds. */
	char *(*validate)(Detector *detector, double time);
} DetectorClass;

struct Detector {
	const DetectorClass *class;
	DetectorSite site;
};

extern const DetectorClass detector_brute, detector_cone, detector_grid, detector_naive, detector_tube;

#endif
