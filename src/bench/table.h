/* What a benchmark found: a table, as text for people and as JSON for programs.
 *
 * Cells are given row by row in the order of the columns. In JSON a table with the key "ablation" is the list
 * "ablation", with one object per row, and "ablation_of" holds its facts: single numbers that belong to all rows. */
#ifndef CINCH_BENCH_TABLE_H
#define CINCH_BENCH_TABLE_H

#include <json-glib/json-glib.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Table Table;

Table *table_new(const char *key, const char *title_format, ...) G_GNUC_PRINTF(2, 3);
void table_free(Table *table);

/* `format` prints a double ("%.3g"); NULL: a column of text. */
void table_column(Table *table, const char *key, const char *heading, const char *format);

/* NaN: unknown, or without meaning in this row. */
void table_number(Table *table, double value);
void table_text(Table *table, const char *text);
/* Text in the table, a truth value in JSON. */
void table_flag(Table *table, bool value, const char *yes, const char *no);

void table_fact(Table *table, const char *key, double value);
void table_fact_text(Table *table, const char *key, const char *value);
/* Lines below the table. */
void table_note(Table *table, const char *format, ...) G_GNUC_PRINTF(2, 3);

void table_print(const Table *table);
/* The same in Markdown, for bench/README.md. */
void table_print_markdown(const Table *table);
/* Its members of an object under way. */
void table_put(const Table *table, JsonBuilder *builder);

#endif
