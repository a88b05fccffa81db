/* Signals during a run. SIGINT, SIGTERM and SIGHUP ask it to end; a second one of them ends the program at once. SIGUSR1
 * asks for a checkpoint. A limit on file sizes (SIGXFSZ) is left to the write, which fails with a reason. */
#ifndef CINCH_CLI_SIGNALS_H
#define CINCH_CLI_SIGNALS_H

#include <stdbool.h>

void signals_begin(void);
/* The signal that asks the run to end, or 0. */
int signals_end(void);
/* Whether a checkpoint has been asked for since the last call. */
bool signals_take_checkpoint(void);

#endif
