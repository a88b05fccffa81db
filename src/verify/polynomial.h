/* Polynomials up to degree 3 with integer coefficients of any length, their roots between 0 and 1, and the signs of
 * other polynomials at these roots: all exact.
 *
 * A root is a number that often cannot be written down. It is known as the only one of its polynomial in an open
 * interval (cell, cell + 1)/2^depth, which can be made smaller at will, or as a dyadic number when it turns out to be
 * one. */
#ifndef CINCH_VERIFY_POLYNOMIAL_H
#define CINCH_VERIFY_POLYNOMIAL_H

#include <gmp.h>
#include <stdbool.h>

enum { POLYNOMIAL_MOST_DEGREE = 3, POLYNOMIAL_MOST_TERMS };

typedef struct {
	int degree;                               /* -1: zero everywhere */
	mpz_t coefficient[POLYNOMIAL_MOST_TERMS]; /* of powers of t; those above the degree are zero */
} Polynomial;

typedef struct {
	const Polynomial *polynomial; /* without double roots */
	bool dyadic;                  /* whether the root is cell/2^depth itself */
	mpz_t cell;
	unsigned long depth;
} PolynomialRoot;

void polynomial_init(Polynomial *p);
void polynomial_clear(Polynomial *p);

/* Finds the degree, after coefficients were written. */
void polynomial_settle(Polynomial *p);

/* result = a b; result is neither of them, and their degrees fit. */
void polynomial_multiply(Polynomial *result, const Polynomial *a, const Polynomial *b);
void polynomial_add(Polynomial *result, const Polynomial *a);
void polynomial_subtract(Polynomial *result, const Polynomial *a);

/* A necessary condition for a root in the open interval (0, 1), which is cheap and nearly sufficient. */
bool polynomial_may_vanish(const Polynomial *p);

/* Calls visit for every different root in the open interval (0, 1), until it returns true; returns whether one did. p
 * is not zero everywhere. visit may refine the root. */
typedef bool (*PolynomialVisit)(PolynomialRoot *root, void *data);
bool polynomial_visit_roots(const Polynomial *p, PolynomialVisit visit, void *data);

/* The root as a number, off by less than 2^-60. Refines it. */
double polynomial_root_value(PolynomialRoot *root);

/* The sign of p at the root. */
int polynomial_sign_at(const Polynomial *p, PolynomialRoot *root);

#endif
