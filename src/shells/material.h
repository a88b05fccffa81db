/* What a body is made of, in the numbers that the forces need. */
#ifndef CINCH_SHELLS_MATERIAL_H
#define CINCH_SHELLS_MATERIAL_H

typedef enum {
	STRETCH_SPRINGS, /* a spring along each side of a triangle */
	STRETCH_STVK     /* constant-strain triangles */
} StretchModel;

typedef struct {
	char *name;
	StretchModel stretch_model;
	double spring_stiffness; /* [force/length] of every side and loose edge; 0: from membrane and line below */
	double membrane;         /* [force/length] Young's modulus times thickness; of triangles */
	double poisson;
	double line_stiffness;  /* [force] Young's modulus times cross-section; of loose edges; 0: spring_stiffness */
	double bend_stiffness;  /* [energy] of hinges: E = bend_stiffness 3 |e|^2/(A1 + A2) (theta - theta0)^2 */
	double areal_density;   /* [mass/area] of triangles */
	double line_density;    /* [mass/length] of loose edges; 0: not given */
	double particle_mass;   /* [mass]; 0: not given */
	double stretch_damping; /* [s] relaxation time: viscous stress = stretch_damping * d(stress)/dt */
	double bend_damping;    /* [s] likewise */
	double mass_damping;    /* [1/s] drag on every vertex, per mass */
	double max_strain;      /* that the steps of triangles allow for */
} Material;

#endif
