/* The XDMF sidecar: an XML file that tells ParaView where in the archive each frame lies.
 *
 * One temporal collection; each of its steps is a spatial collection of up to three grids (triangles, loose edges,
 * particles) over the same vertices. Numbers stay in the archive: positions and velocities are hyperslabs of /motion.
 */
#include "io/archive_private.h"

#include "io/files.h"
#include <string.h>

enum { PIECE = 1 << 16 }; /* bytes: what is in memory of it must not grow with the run */

static char *sidecar_path(const char *archive_path)
{
	static const char *const endings[] = {".h5", ".hdf5"};
	for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
		if (g_str_has_suffix(archive_path, endings[i])) {
			size_t stem = strlen(archive_path) - strlen(endings[i]);
			return g_strdup_printf("%.*s.xdmf", (int)stem, archive_path);
		}
	}
	return g_strconcat(archive_path, ".xdmf", NULL);
}

typedef struct {
	const char *name;     /* of the grid */
	const char *topology; /* XDMF's name of the elements, with what it needs to know of their size */
	const char *dataset;  /* below /topology */
	size_t n_elements;
	unsigned n_corners;
	size_t first, n_shown; /* the elements of this grid among them */
} Kind;

/* The three numbers of every vertex at one frame. */
static void add_slab(GString *text, const ArchiveSidecar *sidecar, const char *file, const char *dataset, size_t frame)
{
	size_t n = sidecar->header->n_vertices;
	g_string_append_printf(text,
	    "<DataItem ItemType=\"HyperSlab\" Dimensions=\"%zu 3\">"
	    "<DataItem Dimensions=\"3 3\" Format=\"XML\">%zu 0 0 1 1 1 1 %zu 3</DataItem>"
	    "<DataItem Dimensions=\"%zu %zu 3\" NumberType=\"Float\" Precision=\"8\" Format=\"HDF\">"
	    "%s:/motion/%s</DataItem></DataItem>",
	    n, frame, n, sidecar->n_frames, n, file, dataset);
}

/* The elements. They are all of the dataset, or those of some bodies; a slab in any case: ParaView's reader takes the text of the first
 * item of a topology for the key of a cache of grids, and then complains of geometries without a text. With an element
 * in its place it does without the cache, silently. (A text in the geometry would let it show old frames when a run is
 * repeated.) */
static void add_topology(GString *text, const char *file, const Kind *kind)
{
	size_t n = kind->n_shown;
	g_string_append_printf(text,
	    "<Topology TopologyType=%s NumberOfElements=\"%zu\">"
	    "<DataItem ItemType=\"HyperSlab\" NumberType=\"UInt\" Precision=\"4\" Dimensions=\"%zu %u\">"
	    "<DataItem Dimensions=\"3 2\" Format=\"XML\">%zu 0 1 1 %zu %u</DataItem>"
	    "<DataItem Dimensions=\"%zu %u\" NumberType=\"UInt\" Precision=\"4\" Format=\"HDF\">"
	    "%s:/topology/%s</DataItem></DataItem></Topology>\n",
	    kind->topology, n, n, kind->n_corners, kind->first, n, kind->n_corners, kind->n_elements, kind->n_corners, file,
	    kind->dataset);
}

static void add_grid(GString *text, const ArchiveSidecar *sidecar, const char *file, const Kind *kind, size_t frame)
{
	g_string_append_printf(text, "<Grid Name=\"%s\" GridType=\"Uniform\">\n", kind->name);
	add_topology(text, file, kind);
	g_string_append(text, "<Geometry GeometryType=\"XYZ\">");
	add_slab(text, sidecar, file, "position", frame);
	g_string_append(text, "</Geometry>\n<Attribute Name=\"velocity\" AttributeType=\"Vector\" Center=\"Node\">");
	add_slab(text, sidecar, file, "velocity", frame);
	g_string_append(text, "</Attribute>\n</Grid>\n");
}

static void body_range(const ArchiveBody *body, const Kind *kind, size_t *first, size_t *n)
{
	*first = kind->n_corners == 3 ? body->first_triangle : kind->n_corners == 2 ? body->first_edge : body->first_particle;
	*n = kind->n_corners == 3 ? body->n_triangles : kind->n_corners == 2 ? body->n_edges : body->n_particles;
}

/* The elements of one kind: a grid for each run of bodies that are still there. */
static void add_shown(GString *text, const ArchiveSidecar *sidecar, const char *file, const Kind *kind, size_t frame)
{
	const ArchiveHeader *header = sidecar->header;
	Kind run = *kind;
	run.n_shown = header->removed == NULL ? kind->n_elements : 0;
	for (size_t i = 0; header->removed != NULL && i < header->n_bodies; i++) {
		size_t first, n;
		body_range(&header->bodies[i], kind, &first, &n);
		if (n == 0 || !archive_shows(header, i, sidecar->time[frame]))
			continue;
		if (run.n_shown > 0 && first != run.first + run.n_shown) {
			add_grid(text, sidecar, file, &run, frame);
			run.n_shown = 0;
		}
		run.first = run.n_shown > 0 ? run.first : first;
		run.n_shown += n;
	}
	if (run.n_shown > 0)
		add_grid(text, sidecar, file, &run, frame);
}

static void add_step(GString *text, const ArchiveSidecar *sidecar, const char *file, size_t frame)
{
	const ArchiveHeader *header = sidecar->header;
	const Kind kinds[] = {
	    {"triangles", "\"Triangle\"", "triangle", header->n_triangles, 3, 0, 0},
	    {"edges", "\"Polyline\" NodesPerElement=\"2\"", "edge", header->n_edges, 2, 0, 0},
	    {"particles", "\"Polyvertex\" NodesPerElement=\"1\"", "particle", header->n_particles, 1, 0, 0},
	};
	char time[G_ASCII_DTOSTR_BUF_SIZE];
	g_ascii_formatd(time, sizeof time, "%.17g", sidecar->time[frame]);
	g_string_append_printf(text,
	    "<Grid Name=\"frame %zu\" GridType=\"Collection\" CollectionType=\"Spatial\">\n<Time Value=\"%s\"/>\n",
	    frame, time);
	for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++)
		add_shown(text, sidecar, file, &kinds[k], frame);
	g_string_append(text, "</Grid>\n");
}

bool archive_write_sidecar(const ArchiveSidecar *sidecar, GError **error)
{
	g_autofree char *base = g_path_get_basename(sidecar->archive_path);
	g_autofree char *valid = g_utf8_make_valid(base, -1);
	g_autofree char *file = g_markup_escape_text(valid, -1);
	g_autoptr(GString) text =
	    g_string_new("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Xdmf Version=\"2.0\">\n<Domain>\n"
	                 "<Grid Name=\"cinch\" GridType=\"Collection\" CollectionType=\"Temporal\">\n");
	g_autofree char *path = sidecar_path(sidecar->archive_path);
	FilesPart *out = files_begin(path);
	for (size_t frame = 0; frame < sidecar->n_frames; frame++) {
		add_step(text, sidecar, file, frame);
		if (text->len < PIECE)
			continue;
		files_put(out, text->str, text->len);
		g_string_truncate(text, 0);
	}
	g_string_append(text, "</Grid>\n</Domain>\n</Xdmf>\n");
	files_put(out, text->str, text->len);
	return files_end(out, error);
}

bool archive_write_xdmf(const char *archive_path, GError **error)
{
	g_autoptr(Archive) archive = archive_open(archive_path, error);
	if (archive == NULL)
		return false;
	ArchiveSidecar sidecar = {
	    .archive_path = archive_path,
	    .header = &archive->header,
	    .time = archive->time,
	    .n_frames = archive->n_frames,
	};
	return archive_write_sidecar(&sidecar, error);
}
