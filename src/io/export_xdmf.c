/* The sidecar that every run leaves beside its archive, once more. */
#include "io/export.h"

static bool write_all(Export *export, const char *path, GError **error)
{
	(void)path;
	return archive_write_xdmf(export->archive, error);
}

const ExportFormat export_xdmf = {.name = "xdmf", .about = "for ParaView, beside the archive", .write = write_all};
