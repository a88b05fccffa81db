/* PLY files. */
#include "fuzz.h"
#include "io/ply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	GError *error = NULL;
	Shape *shape = ply_parse("fuzz.ply", data, size, &error);
	fuzz_expect_sentence(shape, error);
	shape_free(shape);
	return 0;
}
