/* The nest of penalty layers: layer l pushes with stiffness r(l) when the gap is below eta(l).
 *
 *   eta(l) = eta1 l^(-a),  r(l) = r1 l^b,  V_l(d) = r(l)/2 (eta(l) - d)^2 while d < eta(l)
 *
 * The layers form a barrier when the energy that they take, the sum of r(l) eta(l)^2, diverges, and when their steps, as
 * r^(-1/2), shrink faster than the gaps between them, so that every layer acts before the next gap is crossed: b > 2a.
 *
 * Exponents are multiples of 1/4, so that square roots are all it takes: the same bits on every machine. */
#ifndef CINCH_CONTACT_LAYERS_H
#define CINCH_CONTACT_LAYERS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct {
	uint32_t max_layer; /* where a run stops */
	double *eta;        /* [length] (max_layer + 4) by layer, from 1; eta[0] is INFINITY */
	double *stiffness;  /* [force/length] (max_layer + 4) */
	double *wake;       /* [length] (max_layer + 3) below this distance the layer has to be awake: eta and a quarter of
	                     * the spacing to the next */
	double *step_ratio; /* (max_layer + 4) step of a layer over that of layer 1: sqrt(r(1)/r(l)) */
} Layers;

/* l^(quarters/4), l >= 1. */
double layers_power(double l, int quarters);

/* The barrier condition b > 2a, with a > 0. */
bool layers_are_barrier(int eta_quarters, int r_quarters);

/* The step of layer 1 of a pair is this [s sqrt(mass)] over sqrt(1/m_a + 1/m_b); that of layer l is step_ratio[l] of it.
 * safety is the fraction of the stability limit 2/sqrt(k/m) of a vertex in a crowd of pairs, k = 64 r1; accuracy divides
 * all steps. */
double layers_step_scale(double r1, double safety, double accuracy);

Layers *layers_new(double eta1, int eta_quarters, double r1, int r_quarters, uint32_t max_layer);
void layers_free(Layers *layers);

/* The energy stored in layers 1 ... last at a gap d. */
double layers_energy(const Layers *layers, uint32_t last, double d);

/* The deepest layer up to max_layer whose step time can still resolve at `end` [s], 0 when none: where a run stops.
 * first_step [s] is that of layer 1. */
uint32_t layers_deepest(const Layers *layers, double first_step, double end);

/* The deepest layer that a gap d reaches, 0 when none; at most max_layer + 2. */
uint32_t layers_reached(const Layers *layers, double d);

#endif
