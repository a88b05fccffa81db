/* Roots are isolated by Descartes' rule of signs in the Bernstein basis: in an open interval there are no more roots
 * than changes of sign among the Bernstein coefficients, and as many but for an even number. So no change means none,
 * one change one; with more changes the interval is halved. Without double roots that comes to an end.
 *
 * The sign of another polynomial g at a root r of f: it is zero when f and g have a common divisor that vanishes in r's
 * interval, for r is f's only root there. Else the interval is halved until the coefficients of g agree. */
#include "verify/polynomial.h"
#include <math.h>

/* A polynomial of degree n in Bernstein form, times LEAST_MULTIPLE[n], has integer coefficients. */
static const int LEAST_MULTIPLE[POLYNOMIAL_MOST_TERMS] = {1, 1, 2, 3};
static const int BINOMIAL[POLYNOMIAL_MOST_TERMS][POLYNOMIAL_MOST_TERMS] = {{1}, {1, 1}, {1, 2, 1}, {1, 3, 3, 1}};

void polynomial_init(Polynomial *p)
{
	for (int i = 0; i < POLYNOMIAL_MOST_TERMS; i++)
		mpz_init(p->coefficient[i]);
	p->degree = -1;
}

void polynomial_clear(Polynomial *p)
{
	for (int i = 0; i < POLYNOMIAL_MOST_TERMS; i++)
		mpz_clear(p->coefficient[i]);
}

void polynomial_settle(Polynomial *p)
{
	p->degree = POLYNOMIAL_MOST_DEGREE;
	while (p->degree >= 0 && mpz_sgn(p->coefficient[p->degree]) == 0)
		p->degree--;
}

void polynomial_multiply(Polynomial *result, const Polynomial *a, const Polynomial *b)
{
	for (int i = 0; i < POLYNOMIAL_MOST_TERMS; i++)
		mpz_set_si(result->coefficient[i], 0);
	for (int i = 0; i <= a->degree; i++)
		for (int j = 0; j <= b->degree; j++)
			mpz_addmul(result->coefficient[i + j], a->coefficient[i], b->coefficient[j]);
	polynomial_settle(result);
}

void polynomial_add(Polynomial *result, const Polynomial *a)
{
	for (int i = 0; i <= a->degree; i++)
		mpz_add(result->coefficient[i], result->coefficient[i], a->coefficient[i]);
	polynomial_settle(result);
}

void polynomial_subtract(Polynomial *result, const Polynomial *a)
{
	for (int i = 0; i <= a->degree; i++)
		mpz_sub(result->coefficient[i], result->coefficient[i], a->coefficient[i]);
	polynomial_settle(result);
}

static void copy(Polynomial *result, const Polynomial *p)
{
	for (int i = 0; i < POLYNOMIAL_MOST_TERMS; i++)
		mpz_set(result->coefficient[i], p->coefficient[i]);
	result->degree = p->degree;
}

/* ---- common divisors ---- */

/* Divides by the common divisor of the coefficients. */
static void make_primitive(Polynomial *p)
{
	mpz_t content;
	mpz_init(content);
	for (int i = 0; i <= p->degree; i++)
		mpz_gcd(content, content, p->coefficient[i]);
	if (mpz_sgn(content) != 0)
		for (int i = 0; i <= p->degree; i++)
			mpz_divexact(p->coefficient[i], p->coefficient[i], content);
	mpz_clear(content);
}

/* One step of division by b: a becomes lead(b) a - lead(a) t^k b, which has a lower degree. */
static void reduce(Polynomial *a, const Polynomial *b)
{
	int shift = a->degree - b->degree;
	mpz_t lead;
	mpz_init_set(lead, a->coefficient[a->degree]);
	for (int i = 0; i <= a->degree; i++)
		mpz_mul(a->coefficient[i], a->coefficient[i], b->coefficient[b->degree]);
	for (int i = 0; i <= b->degree; i++)
		mpz_submul(a->coefficient[i + shift], lead, b->coefficient[i]);
	mpz_clear(lead);
	polynomial_settle(a);
	make_primitive(a);
}

/* The greatest common divisor, up to a constant; not of two zeros. */
static void common_divisor(Polynomial *result, const Polynomial *a, const Polynomial *b)
{
	Polynomial remainder;
	polynomial_init(&remainder);
	copy(result, a);
	copy(&remainder, b);
	while (remainder.degree >= 0) {
		while (result->degree >= remainder.degree)
			reduce(result, &remainder);
		Polynomial swap = *result;
		*result = remainder;
		remainder = swap;
	}
	polynomial_clear(&remainder);
	make_primitive(result);
}

/* p becomes p/divisor. The divisor divides it and is primitive, so the quotient has integer coefficients (Gauss). */
static void divide(Polynomial *p, const Polynomial *divisor)
{
	Polynomial quotient;
	polynomial_init(&quotient);
	while (p->degree >= divisor->degree) {
		int shift = p->degree - divisor->degree;
		mpz_ptr share = quotient.coefficient[shift];
		mpz_divexact(share, p->coefficient[p->degree], divisor->coefficient[divisor->degree]);
		for (int i = 0; i <= divisor->degree; i++)
			mpz_submul(p->coefficient[i + shift], share, divisor->coefficient[i]);
		polynomial_settle(p);
	}
	polynomial_settle(&quotient);
	copy(p, &quotient);
	polynomial_clear(&quotient);
}

/* Every root becomes a simple one. */
static void make_square_free(Polynomial *p)
{
	Polynomial derivative, divisor;
	polynomial_init(&derivative);
	polynomial_init(&divisor);
	for (int i = 1; i <= p->degree; i++)
		mpz_mul_si(derivative.coefficient[i - 1], p->coefficient[i], i);
	polynomial_settle(&derivative);
	if (derivative.degree >= 1) {
		common_divisor(&divisor, p, &derivative);
		if (divisor.degree >= 1)
			divide(p, &divisor);
	}
	polynomial_clear(&divisor);
	polynomial_clear(&derivative);
}

/* ---- signs in cells ---- */

/* p at (cell + u)/2^depth, times 2^(depth degree), as a polynomial in u. */
static void zoom(Polynomial *result, const Polynomial *p, const mpz_t cell, unsigned long depth)
{
	copy(result, p);
	int n = p->degree;
	for (int i = 0; i < n; i++)
		mpz_mul_2exp(result->coefficient[i], result->coefficient[i], depth * (unsigned long)(n - i));
	for (int i = 0; i < n; i++)
		for (int j = n - 1; j >= i; j--)
			mpz_addmul(result->coefficient[j], cell, result->coefficient[j + 1]);
}

typedef struct {
	int changes;    /* of sign, among the Bernstein coefficients */
	int sign;       /* of p in the open cell when there are none */
	int start, end; /* signs of p at the ends of the cell */
} CellSigns;

/* p is not zero everywhere. */
static CellSigns cell_signs(const Polynomial *p, const mpz_t cell, unsigned long depth)
{
	Polynomial zoomed;
	mpz_t sum;
	CellSigns signs = {0, 0, 0, 0};
	int n = p->degree;
	polynomial_init(&zoomed);
	mpz_init(sum);
	zoom(&zoomed, p, cell, depth);
	for (int i = 0; i <= n; i++) {
		mpz_set_si(sum, 0);
		for (int j = 0; j <= i; j++)
			mpz_addmul_ui(sum, zoomed.coefficient[j],
			    (unsigned long)(BINOMIAL[i][j] * LEAST_MULTIPLE[n] / BINOMIAL[n][j]));
		int sign = mpz_sgn(sum);
		if (i == 0)
			signs.start = sign;
		if (sign != 0 && sign == -signs.sign)
			signs.changes++;
		if (sign != 0)
			signs.sign = sign;
		signs.end = sign;
	}
	mpz_clear(sum);
	polynomial_clear(&zoomed);
	return signs;
}

static int sign_at_dyadic(const Polynomial *p, const mpz_t numerator, unsigned long depth)
{
	return p->degree < 0 ? 0 : cell_signs(p, numerator, depth).start;
}

bool polynomial_may_vanish(const Polynomial *p)
{
	mpz_t zero;
	mpz_init(zero);
	bool may = p->degree < 0 || cell_signs(p, zero, 0).changes > 0;
	mpz_clear(zero);
	return may;
}

/* ---- roots ---- */

static bool visit_root(
    const Polynomial *p, const mpz_t cell, unsigned long depth, bool dyadic, PolynomialVisit visit, void *data)
{
	PolynomialRoot root = {.polynomial = p, .dyadic = dyadic, .depth = depth};
	mpz_init_set(root.cell, cell);
	bool stop = visit(&root, data);
	mpz_clear(root.cell);
	return stop;
}

static bool visit_cell(const Polynomial *p, const mpz_t cell, unsigned long depth, PolynomialVisit visit, void *data)
{
	int changes = cell_signs(p, cell, depth).changes;
	if (changes <= 1)
		return changes == 1 && visit_root(p, cell, depth, false, visit, data);
	mpz_t half;
	mpz_init(half);
	mpz_mul_2exp(half, cell, 1);
	bool stop = visit_cell(p, half, depth + 1, visit, data);
	mpz_add_ui(half, half, 1);
	if (!stop && sign_at_dyadic(p, half, depth + 1) == 0)
		stop = visit_root(p, half, depth + 1, true, visit, data);
	stop = stop || visit_cell(p, half, depth + 1, visit, data);
	mpz_clear(half);
	return stop;
}

bool polynomial_visit_roots(const Polynomial *p, PolynomialVisit visit, void *data)
{
	Polynomial simple;
	mpz_t zero;
	polynomial_init(&simple);
	mpz_init(zero);
	copy(&simple, p);
	make_square_free(&simple);
	bool stop = visit_cell(&simple, zero, 0, visit, data);
	mpz_clear(zero);
	polynomial_clear(&simple);
	return stop;
}

/* Halves the interval of a root. */
static void refine(PolynomialRoot *root)
{
	mpz_mul_2exp(root->cell, root->cell, 1);
	root->depth++;
	CellSigns first = cell_signs(root->polynomial, root->cell, root->depth);
	if (first.changes == 1 && first.end != 0)
		return;
	mpz_add_ui(root->cell, root->cell, 1);
	root->dyadic = first.end == 0;
}

double polynomial_root_value(PolynomialRoot *root)
{
	while (!root->dyadic && root->depth < 61)
		refine(root);
	return ldexp(mpz_get_d(root->cell), -(int)root->depth);
}

/* Whether p, which is not zero everywhere, vanishes at the root. */
static bool vanishes_at(const Polynomial *p, const PolynomialRoot *root)
{
	Polynomial divisor;
	polynomial_init(&divisor);
	common_divisor(&divisor, root->polynomial, p);
	/* It has one root in there or none, and changes of sign are right but for an even number. */
	bool vanishes = divisor.degree >= 1 && cell_signs(&divisor, root->cell, root->depth).changes % 2 == 1;
	polynomial_clear(&divisor);
	return vanishes;
}

int polynomial_sign_at(const Polynomial *p, PolynomialRoot *root)
{
	if (p->degree < 0)
		return 0;
	bool known = false;
	while (!root->dyadic) {
		CellSigns signs = cell_signs(p, root->cell, root->depth);
		if (signs.changes == 0)
			return signs.sign;
		if (!known && vanishes_at(p, root))
			return 0;
		known = true;
		refine(root);
	}
	return sign_at_dyadic(p, root->cell, root->depth);
}
