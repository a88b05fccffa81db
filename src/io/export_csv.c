/* The ledger as a table, a row per frame, with the unit of each column in its heading; then what frames tell besides.
 */
#include "io/export.h"

#include "core/error.h"

static void write_heading(const ArchiveHeader *header, Stream *stream)
{
	for (size_t i = 0; i < header->n_columns; i++)
		stream_format(stream, "%s%s [%s]", i ? "," : "", header->columns[i].name, header->columns[i].unit);
	for (size_t i = 0; i < header->n_fields; i++) {
		const ArchiveField *field = &header->fields[i];
		if (field->shape == ARCHIVE_FIELD_FRAME)
			stream_format(stream, field->unit[0] ? ",%s [%s]" : ",%s", field->name, field->unit);
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
		double value;
		if (header->fields[i].shape != ARCHIVE_FIELD_FRAME)
			continue;
		if (!archive_read_field(archive, i, frame, &value, error))
			return false;
		stream_text(stream, ",");
		stream_number(stream, 17, value);
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
