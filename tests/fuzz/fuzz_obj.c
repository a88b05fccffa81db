/* OBJ files. */
#include "fuzz.h"
#include "io/obj.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	GError *error = NULL;
	Shape *shape = obj_parse("fuzz.obj", (const char *)data, size, &error);
	fuzz_expect_sentence(shape, error);
	shape_free(shape);
	return 0;
}
