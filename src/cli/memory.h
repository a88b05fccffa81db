/* Out of memory: GLib gives up by a trap, GMP by an abort, others crash. Here that becomes a sentence and exit status 1, and
 * any other crash a sentence at least. What has been written stays as it is: the archive and its checkpoints are whole at
 * every instant. */
#ifndef CINCH_CLI_MEMORY_H
#define CINCH_CLI_MEMORY_H

void memory_begin(void);

/* What the sentence adds from now on: where the run can be taken up again. */
void memory_advise(const char *archive);

#endif
