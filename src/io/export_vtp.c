/* VTK PolyData, one file per frame, and a PVD file that gives each its time: for ParaView and whatever reads VTK.
 * Arrays stand behind the XML, raw. */
#include "io/export.h"

#include <string.h>

/* One array behind the XML. */
typedef struct {
	const char *type;
	size_t width; /* of a vector; 1: a number */
	const void *data;
	guint64 bytes;
} Block;

typedef struct {
	Export *export;
	size_t k;
	Stream *stream;
	GArray *blocks;  /* Block */
	GPtrArray *kept; /* GArray: what blocks point to */
	guint64 offset;
} Frame;

static GArray *array_of(Frame *frame, guint size)
{
	GArray *array = g_array_new(false, false, size);
	g_ptr_array_add(frame->kept, array);
	return array;
}

static void add_block(Frame *frame, const char *name, Block block)
{
	g_autofree char *quoted = g_markup_escape_text(name, -1);
	stream_format(frame->stream,
	    "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%zu\" format=\"appended\" "
	    "offset=\"%" G_GUINT64_FORMAT "\"/>\n",
	    block.type, quoted, block.width, frame->offset);
	frame->offset += sizeof(guint64) + block.bytes;
	g_array_append_val(frame->blocks, block);
}

static void add_ints(Frame *frame, const char *name, const GArray *array)
{
	add_block(frame, name, (Block){"Int32", 1, array->data, array->len * sizeof(int32_t)});
}

static void add_int(GArray *array, size_t value)
{
	int32_t number = (int32_t)value;
	g_array_append_val(array, number);
}

/* Cells of one kind that are shown: corners, and where each cell ends among them; bodies and groups of all kinds. */
typedef struct {
	GArray *corner, *end;
} Cells;

static Cells cells_new(Frame *frame)
{
	return (Cells){array_of(frame, sizeof(int32_t)), array_of(frame, sizeof(int32_t))};
}

static void add_cell(Cells *cells, const uint32_t *corner, size_t n)
{
	for (size_t c = 0; c < n; c++)
		add_int(cells->corner, corner[c]);
	add_int(cells->end, cells->corner->len);
}

static void put_cells(Frame *frame, const char *name, const Cells *cells)
{
	stream_format(frame->stream, "<%s>\n", name);
	add_ints(frame, "connectivity", cells->corner);
	add_ints(frame, "offsets", cells->end);
	stream_format(frame->stream, "</%s>\n", name);
}

enum { VERTS, LINES, POLYS, N_KINDS };

/* VTK counts cells by kind: first all of the first kind. */
static void collect(Frame *frame, Cells cells[N_KINDS], GArray *of_body, GArray *of_group)
{
	const Export *export = frame->export;
	const Selection *selection = export->selection;
	const Faces *faces = export->faces;
	for (int kind = 0; kind < N_KINDS; kind++)
		for (size_t b = 0; b < selection->n_bodies; b++) {
			const ArchiveBody *body = &selection->bodies[b];
			if (!export_shows(export, b, frame->k))
				continue;
			size_t begin = kind == POLYS ? faces->of_body[b] : 0;
			size_t end = kind == VERTS   ? body->n_particles
			             : kind == LINES ? body->n_edges
			                             : faces->of_body[b + 1];
			for (size_t i = begin; i < end; i++) {
				size_t n = kind == VERTS ? 1 : 2;
				const uint32_t *corner = kind == VERTS ? selection->particle + body->first_particle + i
				                         : kind == LINES ? selection->edge[body->first_edge + i]
				                                         : faces_corners(faces, i, &n);
				add_cell(&cells[kind], corner, n);
				add_int(of_body, b);
				add_int(
				    of_group, kind == POLYS ? g_array_index(faces->group, uint32_t, i) : FACES_NONE);
			}
		}
}

static void put_points(Frame *frame, const double *coordinate)
{
	const Export *export = frame->export;
	size_t n = export->selection->n_vertices;
	stream_text(frame->stream, coordinate ? "<PointData TCoords=\"texture\">\n" : "<PointData>\n");
	for (size_t i = 0; i < export->n_attributes; i++) {
		const ExportAttribute *attribute = &export->attribute[i];
		add_block(frame, attribute->name,
		    (Block){"Float64", attribute->width, attribute->value, n * attribute->width * sizeof(double)});
	}
	if (coordinate != NULL)
		add_block(frame, "texture", (Block){"Float64", 2, coordinate, 2 * n * sizeof(double)});
	stream_text(frame->stream, "</PointData>\n<Points>\n");
	add_block(frame, "position", (Block){"Float64", 3, export->position, 3 * n * sizeof(double)});
	stream_text(frame->stream, "</Points>\n");
}

/* What the numbers in the cells' "body" and "group" stand for, in a comment, where no two dashes may stand side by
 * side. */
static void put_names(Stream *stream, const Export *export)
{
	g_autoptr(GString) names = g_string_new(NULL);
	for (size_t b = 0; b < export->selection->n_bodies; b++)
		g_string_append_printf(names, "%s%zu: %s", b ? ", " : "bodies ", b, export->selection->bodies[b].name);
	for (guint i = 0; i < export->faces->name->len; i++)
		g_string_append_printf(
		    names, "%s%u: %s", i ? ", " : "; groups ", i, (const char *)export->faces->name->pdata[i]);
	g_string_replace(names, "--", "- - ", 0);
	stream_format(stream, "<!-- %s -->\n", names->str);
}

static void put_blocks(Frame *frame)
{
	stream_text(frame->stream, "<AppendedData encoding=\"raw\">\n_");
	for (guint i = 0; i < frame->blocks->len; i++) {
		const Block *block = &g_array_index(frame->blocks, Block, i);
		stream_bytes(frame->stream, &block->bytes, sizeof block->bytes);
		stream_bytes(frame->stream, block->data, block->bytes);
	}
	stream_text(frame->stream, "\n</AppendedData>\n</VTKFile>\n");
}

static void write_frame(Export *export, size_t k, Stream *stream)
{
	Frame frame = {export, k, stream, g_array_new(false, false, sizeof(Block)),
	    g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref), 0};
	const Selection *selection = export->selection;
	size_t n = selection->n_vertices;
	g_autofree double *coordinate = export->faces->coordinate->len > 0 ? g_new(double, 2 * n + 1) : NULL;
	if (coordinate != NULL && !faces_smooth_texture(export->faces, n, coordinate))
		g_clear_pointer(&coordinate, g_free);
	Cells cells[N_KINDS] = {cells_new(&frame), cells_new(&frame), cells_new(&frame)};
	GArray *of_body = array_of(&frame, sizeof(int32_t)), *of_group = array_of(&frame, sizeof(int32_t));
	collect(&frame, cells, of_body, of_group);
	stream_format(stream,
	    "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" "
	    "header_type=\"UInt64\">\n",
	    G_BYTE_ORDER == G_LITTLE_ENDIAN ? "LittleEndian" : "BigEndian");
	stream_format(
	    stream, "<!-- lengths in %s, times in %s -->\n", export->header->length_unit, export->header->time_unit);
	put_names(stream, export);
	stream_text(stream, "<PolyData>\n<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" "
	                    "NumberOfTuples=\"1\" format=\"ascii\">");
	stream_number(stream, 17, selection->time[k]);
	stream_format(stream,
	    "</DataArray>\n</FieldData>\n<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%u\" NumberOfLines=\"%u\" "
	    "NumberOfStrips=\"0\" NumberOfPolys=\"%u\">\n",
	    n, cells[VERTS].end->len, cells[LINES].end->len, cells[POLYS].end->len);
	put_points(&frame, coordinate);
	stream_text(stream, "<CellData>\n");
	add_ints(&frame, "body", of_body);
	if (export->faces->name->len > 0)
		add_ints(&frame, "group", of_group);
	stream_text(stream, "</CellData>\n");
	put_cells(&frame, "Verts", &cells[VERTS]);
	put_cells(&frame, "Lines", &cells[LINES]);
	put_cells(&frame, "Polys", &cells[POLYS]);
	stream_text(stream, "</Piece>\n</PolyData>\n");
	put_blocks(&frame);
	g_array_unref(frame.blocks);
	g_ptr_array_unref(frame.kept);
}

/* The file that is opened: which frame has which time. */
static bool write_collection(const Export *export, const char *directory, GError **error)
{
	g_autofree char *name = g_strconcat(directory, "/frames.pvd", NULL);
	Stream *stream = stream_open(name);
	stream_text(stream, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n");
	for (size_t k = 0; k < export->selection->n_times; k++) {
		stream_text(stream, "<DataSet timestep=\"");
		stream_number(stream, 17, export->selection->time[k]);
		stream_format(stream, "\" part=\"0\" file=\"frame%05zu.vtp\"/>\n", k);
	}
	stream_text(stream, "</Collection>\n</VTKFile>\n");
	return stream_close(stream, true, error);
}

static bool write_all(Export *export, const char *path, GError **error)
{
	g_autofree double *coordinate = g_new(double, 2 * export->selection->n_vertices + 1);
	if (!faces_smooth_texture(export->faces, export->selection->n_vertices, coordinate))
		g_string_append(
		    export->notes, "texture coordinates are left out: they have seams, and VTK has one per point\n");
	return export_sequence(export, path, ".vtp", write_frame, error) && write_collection(export, path, error);
}

const ExportFormat export_vtp = {.name = "vtp",
    .about = "VTK, a file per frame, and frames.pvd for ParaView",
    .ending = "_vtp",
    .holds_numbers = true,
    .takes_rate = true,
    .write = write_all};
