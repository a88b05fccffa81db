/* The summary at the end of a run, and of an archive. */
#ifndef CINCH_CLI_SUMMARY_H
#define CINCH_CLI_SUMMARY_H

#include <json-glib/json-glib.h>

/* Prints the summary that simulation_summary() made (JSON text) as a table. */
void summary_print(const char *json);

/* Prints the member "topology" of a proof, where it has one. */
void summary_print_topology(JsonObject *proof);

/* Prints the ledger's last row beside its first: `columns` names (NULL-terminated) with their units. */
void summary_print_ledger(const char *const *names, const char *const *units, const double *first, const double *last);

#endif
