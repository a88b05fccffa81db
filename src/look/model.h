/* What is drawn: the triangles of a selection, its loose edges as tubes, its particles as balls.
 *
 * Faces and who shares a normal with whom are found once, at rest, so that they do not change from frame to frame; then
 * model_place() puts the model where its vertices are. */
#ifndef CINCH_LOOK_MODEL_H
#define CINCH_LOOK_MODEL_H

#include "core/vec.h"
#include "io/origin.h"
#include "io/selection.h"

typedef struct {
	uint32_t point[3];
	uint32_t normal[3];
	uint32_t body;
} ModelFace;

/* Points of tubes and balls stand beside a vertex. */
typedef struct {
	uint32_t vertex;
	uint32_t other; /* the other end of a tube; RASTER_NONE for a ball */
	float direction[3]; /* of a ball: where on it; of a tube: cosine, sine around it */
	float radius;
} ModelStud;

typedef struct {
	size_t n_vertices, n_points, n_normals, n_faces, n_studs, n_smooth;
	Vec3 *point;      /* [length] (n_points) vertices of the selection, then studs; written by model_place() */
	Vec3 *normal;     /* (n_normals) unit vectors: smooth ones of the mesh, then one per stud; by model_place() */
	ModelFace *face;  /* (n_faces) triangles of the mesh, then the rest */
	size_t n_mesh;    /* faces of the mesh */
	ModelStud *stud;  /* (n_studs) */
	bool *hidden;     /* (bodies) those that are not there now; by model_place() */
	uint32_t *source; /* (n_points) the vertex of the selection that each belongs to */
} Model;

/* `size` is that of the scene [length]: what has no thickness is drawn in proportion to it. */
Model *model_new(const Selection *selection, const Origin *origin, double size);
void model_free(Model *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Model, model_free)

/* Radii of tubes and balls [length] of a body. */
double model_tube_radius(double thickness, double size);
double model_ball_radius(double thickness, double size);

/* Where its vertices are at a time [s]. */
void model_place(Model *model, const Selection *selection, const double *position, double time);

#endif
