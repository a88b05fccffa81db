#include "bench/table.h"
#include "sim/json_put.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct {
	const char *key, *heading, *format;
} Column;

typedef enum {
	CELL_NUMBER,
	CELL_TEXT,
	CELL_FLAG
} CellKind;

typedef struct {
	CellKind kind;
	double number; /* of a flag: 0 or 1 */
	char *text;    /* as it is printed */
} Cell;

typedef struct {
	const char *key;
	double number;
	char *text; /* NULL: it is a number */
} Fact;

struct Table {
	const char *key;
	char *title;
	GArray *columns; /* Column */
	GArray *cells;   /* Cell, row by row */
	GArray *facts;   /* Fact */
	GString *notes;
};

static void clear_cell(gpointer cell)
{
	g_free(((Cell *)cell)->text);
}

static void clear_fact(gpointer fact)
{
	g_free(((Fact *)fact)->text);
}

Table *table_new(const char *key, const char *title_format, ...)
{
	Table *table = g_new0(Table, 1);
	va_list arguments;
	va_start(arguments, title_format);
	table->key = key;
	table->title = g_strdup_vprintf(title_format, arguments);
	va_end(arguments);
	table->columns = g_array_new(FALSE, FALSE, sizeof(Column));
	table->cells = g_array_new(FALSE, FALSE, sizeof(Cell));
	g_array_set_clear_func(table->cells, clear_cell);
	table->facts = g_array_new(FALSE, FALSE, sizeof(Fact));
	g_array_set_clear_func(table->facts, clear_fact);
	table->notes = g_string_new(NULL);
	return table;
}

void table_free(Table *table)
{
	if (table == NULL)
		return;
	g_free(table->title);
	g_array_unref(table->columns);
	g_array_unref(table->cells);
	g_array_unref(table->facts);
	g_string_free(table->notes, TRUE);
	g_free(table);
}

void table_column(Table *table, const char *key, const char *heading, const char *format)
{
	Column column = {key, heading, format};
	g_array_append_val(table->columns, column);
}

static const Column *column_at(const Table *table, guint cell)
{
	return &g_array_index(table->columns, Column, cell % table->columns->len);
}

/* One format per column, which takes one double: the compiler cannot see that. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static char *print_number(const char *format, double value)
{
	return isnan(value) ? g_strdup("-") : g_strdup_printf(format, value);
}
#pragma GCC diagnostic pop

void table_number(Table *table, double value)
{
	Cell cell = {CELL_NUMBER, value, print_number(column_at(table, table->cells->len)->format, value)};
	g_array_append_val(table->cells, cell);
}

void table_text(Table *table, const char *text)
{
	Cell cell = {CELL_TEXT, NAN, g_strdup(text)};
	g_array_append_val(table->cells, cell);
}

void table_flag(Table *table, bool value, const char *yes, const char *no)
{
	Cell cell = {CELL_FLAG, value, g_strdup(value ? yes : no)};
	g_array_append_val(table->cells, cell);
}

void table_fact(Table *table, const char *key, double value)
{
	Fact fact = {key, value, NULL};
	g_array_append_val(table->facts, fact);
}

void table_fact_text(Table *table, const char *key, const char *value)
{
	Fact fact = {key, NAN, g_strdup(value)};
	g_array_append_val(table->facts, fact);
}

void table_note(Table *table, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	g_string_append_vprintf(table->notes, format, arguments);
	g_string_append_c(table->notes, '\n');
	va_end(arguments);
}

static int width_of(const Table *table, guint column)
{
	glong width = g_utf8_strlen(g_array_index(table->columns, Column, column).heading, -1);
	for (guint i = column; i < table->cells->len; i += table->columns->len)
		width = MAX(width, g_utf8_strlen(g_array_index(table->cells, Cell, i).text, -1));
	return (int)width;
}

/* Text to the left, numbers to the right. */
static void print_cell(const Table *table, guint column, const char *text, bool markdown)
{
	int width = width_of(table, column), fill = width - (int)g_utf8_strlen(text, -1);
	bool left = g_array_index(table->columns, Column, column).format == NULL, last = column + 1 == table->columns->len;
	if (markdown)
		printf("| %s ", text);
	else
		printf("%s%*s%s%*s", column > 0 ? "  " : "", left ? 0 : fill, "", text, left && !last ? fill : 0, "");
}

static void print_rows(const Table *table, bool markdown)
{
	guint n = table->columns->len;
	for (guint column = 0; column < n; column++)
		print_cell(table, column, g_array_index(table->columns, Column, column).heading, markdown);
	printf(markdown ? "|\n" : "\n");
	for (guint column = 0; markdown && column < n; column++)
		printf("|---%s", column + 1 < n ? "" : "|\n");
	for (guint i = 0; i < table->cells->len; i++) {
		print_cell(table, i % n, g_array_index(table->cells, Cell, i).text, markdown);
		if (i % n == n - 1)
			printf(markdown ? "|\n" : "\n");
	}
}

void table_print(const Table *table)
{
	printf("%s\n\n", table->title);
	print_rows(table, false);
	printf("%s%s\n", table->notes->len > 0 ? "\n" : "", table->notes->str);
}

void table_print_markdown(const Table *table)
{
	printf("%s\n\n", table->title);
	print_rows(table, true);
	printf("%s%s\n", table->notes->len > 0 ? "\n" : "", table->notes->str);
}

static void put_cell(JsonBuilder *builder, const char *key, const Cell *cell)
{
	if (cell->kind == CELL_TEXT)
		json_put_text(builder, key, cell->text);
	else if (cell->kind == CELL_FLAG)
		json_put_flag(builder, key, cell->number != 0.0);
	else if (isfinite(cell->number))
		json_put_number(builder, key, cell->number);
	else
		json_builder_add_null_value(json_builder_set_member_name(builder, key));
}

static void put_facts(const Table *table, JsonBuilder *builder)
{
	g_autofree char *key = g_strconcat(table->key, "_of", NULL);
	json_builder_set_member_name(builder, key);
	json_builder_begin_object(builder);
	json_put_text(builder, "title", table->title);
	for (guint i = 0; i < table->facts->len; i++) {
		const Fact *fact = &g_array_index(table->facts, Fact, i);
		Cell cell = {fact->text ? CELL_TEXT : CELL_NUMBER, fact->number, fact->text};
		put_cell(builder, fact->key, &cell);
	}
	json_builder_end_object(builder);
}

void table_put(const Table *table, JsonBuilder *builder)
{
	guint n = table->columns->len;
	json_builder_set_member_name(builder, table->key);
	json_builder_begin_array(builder);
	for (guint i = 0; i < table->cells->len; i++) {
		if (i % n == 0)
			json_builder_begin_object(builder);
		put_cell(builder, column_at(table, i)->key, &g_array_index(table->cells, Cell, i));
		if (i % n == n - 1)
			json_builder_end_object(builder);
	}
	json_builder_end_array(builder);
	put_facts(table, builder);
}
