/* Instruments: what frames tell besides motion and ledger (/fields of the archive), for the eye and for measuring.
 *
 * A new field is one entry in the table of instrument.c and the function that measures it, from what all of them are given:
 * the simulation, the time, and the pairs in contact. They read only: the motion is the same with and without them. */
#ifndef CINCH_SIM_INSTRUMENT_H
#define CINCH_SIM_INSTRUMENT_H

#include "sim/simulation.h"

/* Says so in a sentence when the scene asks for a field that there is not. */
bool instrument_check(const Scene *scene, GError **error);

/* The fields that the archive of this simulation has (GArray of ArchiveField). */
GArray *instrument_fields(const Simulation *simulation);

/* Measures all of them and writes them for the next frame. */
bool instrument_write(Simulation *simulation, double time, GError **error);

#endif
