/* The ledger as a table, a row per frame, with the unit of each column in its heading; then what frames tell besides.
 */
#include "io/export.h"

#include "core/error.h"

/* Lists of more rows, such as that of pairs, are no columns. */
enum { MOST_ROWS = 64 };

static bool is_column(const ArchiveField *field)
{
	return field->shape == ARCHIVE_FIELD_FRAME || (field->shape == ARCHIVE_FIELD_LIST && field->rows <= MOST_ROWS);
}

/* "tension left.start 4 [dyn]": the fourth number of a row of a list. */
static void write_name(const ArchiveField *field, const char *row, uint32_t number, Stream *stream)
{
	stream_format(stream, ",%s", field->name);
	if (row != NULL)
		stream_format(stream, " %s", row);
	if (number > 0)
		stream_format(stream, " %u", number);
	if (field->unit[0])
		stream_format(stream, " [%s]", field->unit);
}

static void write_list_heading(const ArchiveField *field, Stream *stream)
{
	g_auto(GStrv) labels = archive_field_labels(field);
	for (uint32_t row = 0; row < field->rows; row++)
		for (uint32_t i = 0; i < field->width; i++)
			write_name(field, labels[row], field->width > 1 ? i + 1 : 0, stream);
}

static void write_heading(const ArchiveHeader *header, Stream *stream)
{
	for (size_t i = 0; i < header->n_columns; i++)
		stream_format(stream, "%s%s [%s]", i ? "," : "", header->columns[i].name, header->columns[i].unit);
	for (size_t i = 0; i < header->n_fields; i++) {
		const ArchiveField *field = &header->fields[i];
		if (field->shape == ARCHIVE_FIELD_FRAME)
			write_name(field, NULL, 0, stream);
		else if (is_column(field))
			write_list_heading(field, stream);
	}
	stream_text(stream, "\n");
}

static bool write_row(Archive *archive, size_t frame, Stream *stream, GError **error)
{
	const ArchiveHeader *header = &archive->header;
	for (size_t i = 0; i < header->n_columns; i++) {
		stream_text(stream, i ? "," : "");
		stream_number(stream, 17, archive->ledger[frame * header->n_columns + i]);
	}
	for (size_t i = 0; i < header->n_fields; i++) {
		const ArchiveField *field = &header->fields[i];
		size_t n = field->shape == ARCHIVE_FIELD_LIST ? (size_t)field->rows * field->width : 1;
		g_autofree double *value = is_column(field) ? g_new(double, n + 1) : NULL;
		if (value == NULL)
			continue;
		if (!archive_read_field(archive, i, frame, value, error))
			return false;
		for (size_t k = 0; k < n; k++) {
			stream_text(stream, ",");
			stream_number(stream, 17, value[k]);
		}
	}
	stream_text(stream, "\n");
	return true;
}

static bool write_all(Export *export, const char *path, GError **error)
{
	const Selection *selection = export->selection;
	Stream *stream = stream_open(path);
	bool good = true;
	write_heading(export->header, stream);
	for (size_t k = 0; good && k < selection->n_times; k++)
		good = write_row(
		    selection->archive, selection_frame_at(selection->archive, selection->time[k]), stream, error);
	return stream_close(stream, good, error) && good;
}

const ExportFormat export_csv = {
    .name = "csv", .about = "the ledger, a row per frame", .ending = ".csv", .write = write_all};
