/* Scene files. */
#include "fuzz.h"
#include "scene/scene.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	GError *error = NULL;
	const char *path = fuzz_file(data, size);
	Scene *scene = scene_load(path, NULL, &error);
	fuzz_expect_sentence(scene, error);
	scene_free(scene);
	return 0;
}
