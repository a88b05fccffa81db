/* The kernels, compiled once for each set of instructions. Beside each line stands a line of force_spring.c, force_stvk.c or
 * force_hinge.c: what is changed here is changed there. */
#include "core/lanes.h"
#include "core/real.h"
#include "shells/force_hinge.h"
#include "shells/force_spring.h"
#include "shells/force_stvk.h"
#include "shells/kernel.h"

Kernel LANES_NAME(kernel_spring), LANES_NAME(kernel_stvk), LANES_NAME(kernel_hinge);

/* The memory of one block: measures at the last tick, then what resisted them. */
typedef struct {
	Lanes measure[FORCE_MOST_MEASURES], pull[FORCE_MOST_MEASURES];
} Memory;

/* Of n elements with m numbers each. */
LANES_INLINE void recall_part(const double *from, uint32_t n, int m, Lanes *to)
{
	if (m == 1) {
		to[0] = n == LANES ? lanes_load(from) : lanes_load_part(from, n);
		return;
	}
	for (int i = 0; i < m; i++) {
		to[i] = lanes_all(0.0);
		for (uint32_t l = 0; l < n; l++)
			to[i][l] = from[l * (uint32_t)m + (uint32_t)i];
	}
}

LANES_INLINE void remember_part(double *to, uint32_t n, int m, const Lanes *from)
{
	if (m == 1) {
		if (n == LANES)
			lanes_store(to, from[0]);
		else
			lanes_store_part(to, from[0], n);
		return;
	}
	for (int i = 0; i < m; i++)
		for (uint32_t l = 0; l < n; l++)
			to[l * (uint32_t)m + (uint32_t)i] = from[i][l];
}

/* A block of a batch. */
typedef struct {
	uint32_t n; /* elements */
	const uint16_t *corner;
	const double *parameter;
	double *measure, *pull; /* NULL: no losses */
} Block;

LANES_INLINE Block block_of(const KernelBatch *batch, uint32_t b, int corners, int parameters, int measures)
{
	uint32_t first = b * LANES, left = batch->n_elements - first;
	return (Block){
	    .n = left < LANES ? left : LANES,
	    .corner = batch->corner + (size_t)first * (size_t)corners,
	    .parameter = batch->parameter + (size_t)first * (size_t)parameters,
	    .measure = batch->measure ? batch->measure + (size_t)first * (size_t)measures : NULL,
	    .pull = batch->measure ? batch->pull + (size_t)first * (size_t)measures : NULL,
	};
}

LANES_INLINE Memory recall(const Block *block, int m)
{
	Memory memory;
	recall_part(block->measure, block->n, m, memory.measure);
	recall_part(block->pull, block->n, m, memory.pull);
	return memory;
}

LANES_INLINE void remember(const Block *block, int m, const Memory *memory)
{
	remember_part(block->measure, block->n, m, memory->measure);
	remember_part(block->pull, block->n, m, memory->pull);
}

/* The work of what resists a change. */
LANES_INLINE void count_work(KernelBatch *batch, Lanes before, Lanes now, Lanes change)
{
	lanes_store(batch->work, lanes_load(batch->work) - 0.5 * (before + now) * change);
}

LANES_INLINE Lanes parameter_of(const Block *block, int i)
{
	return lanes_load(block->parameter + i * LANES);
}

LANES_INLINE Lanes3 corner_of(const KernelBatch *batch, const Block *block, int c)
{
	return lanes3_rows(batch->x, block->corner + c * LANES);
}

LANES_INLINE void give(KernelBatch *batch, const Block *block, int c, Lanes3 force)
{
	lanes3_add_to_rows(force, batch->force, block->corner + c * LANES);
}

/* --- Springs ----------------------------------------------------------------------------------------------------- */

LANES_INLINE void spring_block(KernelBatch *batch, const Block *block)
{
	const Lanes none = lanes_all(0.0);
	Lanes stiffness = parameter_of(block, FORCE_SPRING_STIFFNESS);
	Lanes3 edge = lanes3_sub(corner_of(batch, block, 1), corner_of(batch, block, 0));
	Lanes length = lanes_sqrt(lanes3_dot(edge, edge));
	Lanes inverse = lanes_select((LanesMask)(length > none), 1.0 / length, none);
	Lanes tension = stiffness * (length - parameter_of(block, FORCE_SPRING_LENGTH)) * inverse;
	Lanes3 first = lanes3_scale(tension, edge), second = lanes3_scale(-tension, edge);
	if (block->measure != NULL) {
		Memory memory = recall(block, 1);
		Lanes change = length - memory.measure[0];
		Lanes pull = parameter_of(block, FORCE_SPRING_RELAXATION) * stiffness * (change / batch->since);
		count_work(batch, memory.pull[0], pull, change);
		memory.measure[0] = length;
		memory.pull[0] = pull;
		remember(block, 1, &memory);
		first = lanes3_add(first, lanes3_scale(pull * inverse, edge));
		second = lanes3_add(second, lanes3_scale(-(pull * inverse), edge));
	}
	give(batch, block, 0, first);
	give(batch, block, 1, second);
}

void LANES_NAME(kernel_spring)(KernelBatch *batch)
{
	for (uint32_t b = 0; b * LANES < batch->n_elements; b++) {
		Block block = block_of(batch, b, 2, FORCE_SPRING_N, 1);
		spring_block(batch, &block);
	}
}

/* --- StVK triangles ---------------------------------------------------------------------------------------------- */

typedef struct {
	Lanes xx, xy, yy;
} Sym2;

typedef struct {
	Lanes d11, d12, d22, lambda, mu;
	Lanes3 u, w; /* columns of the deformation gradient */
} Stvk;

LANES_INLINE Sym2 stvk_stress(const Stvk *stvk, Sym2 strain)
{
	Lanes trace = stvk->lambda * (strain.xx + strain.yy);
	return (Sym2){trace + 2.0 * stvk->mu * strain.xx, 2.0 * stvk->mu * strain.xy, trace + 2.0 * stvk->mu * strain.yy};
}

LANES_INLINE void stvk_spread(const Stvk *stvk, Sym2 S, Lanes3 *force)
{
	Lanes3 first = lanes3_madd(lanes3_scale(S.xx, stvk->u), S.xy, stvk->w);
	Lanes3 second = lanes3_madd(lanes3_scale(S.xy, stvk->u), S.yy, stvk->w);
	force[1] = lanes3_madd(lanes3_scale(-stvk->d11, first), -stvk->d12, second);
	force[2] = lanes3_scale(-stvk->d22, second);
	force[0] = lanes3_scale(lanes_all(-1.0), lanes3_add(force[1], force[2]));
}

LANES_INLINE void stvk_lose(KernelBatch *batch, const Block *block, const Stvk *stvk, Sym2 strain, Lanes3 *force)
{
	Memory memory = recall(block, 3);
	Lanes relaxation = parameter_of(block, FORCE_STVK_RELAXATION);
	Lanes change[3] = {strain.xx - memory.measure[0], strain.xy - memory.measure[1], strain.yy - memory.measure[2]};
	Sym2 rate = {relaxation * (change[0] / batch->since), relaxation * (change[1] / batch->since),
	    relaxation * (change[2] / batch->since)};
	Sym2 S = stvk_stress(stvk, rate);
	Lanes pull[3] = {S.xx, 2.0 * S.xy, S.yy};
	for (int i = 0; i < 3; i++) {
		count_work(batch, memory.pull[i], pull[i], change[i]);
		memory.pull[i] = pull[i];
	}
	memory.measure[0] = strain.xx;
	memory.measure[1] = strain.xy;
	memory.measure[2] = strain.yy;
	remember(block, 3, &memory);
	Lanes3 loss[3];
	stvk_spread(stvk, S, loss);
	for (int c = 0; c < 3; c++)
		force[c] = lanes3_add(force[c], loss[c]);
}

LANES_INLINE void stvk_block(KernelBatch *batch, const Block *block)
{
	Stvk stvk = {.d11 = parameter_of(block, FORCE_STVK_D11),
	    .d12 = parameter_of(block, FORCE_STVK_D12),
	    .d22 = parameter_of(block, FORCE_STVK_D22),
	    .lambda = parameter_of(block, FORCE_STVK_LAMBDA),
	    .mu = parameter_of(block, FORCE_STVK_MU)};
	Lanes3 x0 = corner_of(batch, block, 0);
	Lanes3 a = lanes3_sub(corner_of(batch, block, 1), x0), b = lanes3_sub(corner_of(batch, block, 2), x0), force[3];
	stvk.u = lanes3_scale(stvk.d11, a);
	stvk.w = lanes3_madd(lanes3_scale(stvk.d12, a), stvk.d22, b);
	Sym2 strain = {0.5 * (lanes3_dot(stvk.u, stvk.u) - 1.0), 0.5 * lanes3_dot(stvk.u, stvk.w),
	    0.5 * (lanes3_dot(stvk.w, stvk.w) - 1.0)};
	stvk_spread(&stvk, stvk_stress(&stvk, strain), force);
	if (block->measure != NULL)
		stvk_lose(batch, block, &stvk, strain, force);
	for (int c = 0; c < 3; c++)
		give(batch, block, c, force[c]);
}

void LANES_NAME(kernel_stvk)(KernelBatch *batch)
{
	for (uint32_t b = 0; b * LANES < batch->n_elements; b++) {
		Block block = block_of(batch, b, 3, FORCE_STVK_N, 3);
		stvk_block(batch, &block);
	}
}

/* --- Hinges ------------------------------------------------------------------------------------------------------ */

typedef struct {
	Lanes angle;
	Lanes3 gradient[4];
	LanesMask squeezed;
	Lanes weight; /* only where that was asked for */
	Lanes3 slope[4];
} Hinge;

typedef struct {
	Lanes3 e, a, b, c, d, n1, n2;
} Sides;

LANES_INLINE Lanes3 lanes3_select(LanesMask mask, Lanes3 yes, Lanes3 no)
{
	return (Lanes3){lanes_select(mask, yes.x, no.x), lanes_select(mask, yes.y, no.y), lanes_select(mask, yes.z, no.z)};
}

LANES_INLINE Lanes3 where(LanesMask mask, Lanes3 a)
{
	const Lanes none = lanes_all(0.0);
	return lanes3_select(mask, a, (Lanes3){none, none, none});
}

/* Of hinges that are not collapsed. */
LANES_INLINE Lanes hinge_angle(Lanes y, Lanes x, LanesMask good)
{
	Lanes angle = lanes_angle(y, x);
	Lanes across = lanes_abs(x), up = lanes_abs(y), largest = lanes_select((LanesMask)(across > up), across, up);
	LanesMask odd = good & ~((LanesMask)(largest >= 0x1p-900) & (LanesMask)(largest <= 0x1p1000));
	if (__builtin_expect(lanes_any(odd), 0))
		for (int l = 0; l < LANES; l++)
			if (odd[l])
				angle[l] = real_atan2(y[l], x[l]);
	return angle;
}

LANES_INLINE void squeeze(Hinge *hinge, const Sides *s, Lanes scale1, Lanes scale2, Lanes q1, Lanes q2)
{
	const Lanes one = lanes_all(1.0);
	Lanes r1 = lanes_select((LanesMask)(q1 < one), q1, one), r2 = lanes_select((LanesMask)(q2 < one), q2, one);
	Lanes w1 = r1 * r1 * r1 * (10.0 - r1 * (15.0 - 6.0 * r1)), w2 = r2 * r2 * r2 * (10.0 - r2 * (15.0 - 6.0 * r2));
	Lanes from1 = r1 * (1.0 - r1), from2 = r2 * (1.0 - r2);
	Lanes slope1 = 60.0 * from1 * from1 * w2 * scale1, slope2 = 60.0 * from2 * from2 * w1 * scale2;
	hinge->weight = lanes_select(hinge->squeezed, w1 * w2, one);
	hinge->slope[0] = lanes3_madd(lanes3_scale(-slope1, lanes3_cross(s->b, s->n1)), slope2, lanes3_cross(s->d, s->n2));
	hinge->slope[1] = lanes3_madd(lanes3_scale(slope1, lanes3_cross(s->a, s->n1)), -slope2, lanes3_cross(s->c, s->n2));
	hinge->slope[2] = lanes3_scale(-slope1, lanes3_cross(s->e, s->n1));
	hinge->slope[3] = lanes3_scale(slope2, lanes3_cross(s->e, s->n2));
}

LANES_INLINE Hinge hinge_at(const KernelBatch *batch, const Block *block, bool weighted)
{
	const Lanes none = lanes_all(0.0);
	Lanes3 x0 = corner_of(batch, block, 0), x1 = corner_of(batch, block, 1);
	Lanes3 x2 = corner_of(batch, block, 2), x3 = corner_of(batch, block, 3);
	Lanes3 e = lanes3_sub(x1, x0), a = lanes3_sub(x2, x0), b = lanes3_sub(x2, x1), c = lanes3_sub(x3, x0), d = lanes3_sub(x3, x1);
	Lanes3 n1 = lanes3_cross(a, b), n2 = lanes3_cross(d, c);
	Lanes length = lanes_sqrt(lanes3_dot(e, e)), area1 = lanes3_dot(n1, n1), area2 = lanes3_dot(n2, n2);
	LanesMask good = (LanesMask)(area1 > none) & (LanesMask)(area2 > none) & (LanesMask)(length > none);
	const Lanes one = lanes_all(1.0);
	Lanes scale1 = parameter_of(block, FORCE_HINGE_SCALE_1), scale2 = parameter_of(block, FORCE_HINGE_SCALE_2);
	Lanes inverse = 1.0 / length, q1 = area1 * scale1, q2 = area2 * scale2;
	Hinge hinge;
	hinge.squeezed = good & ((LanesMask)(q1 < one) | (LanesMask)(q2 < one));
	if (weighted)
		squeeze(&hinge, &(Sides){e, a, b, c, d, n1, n2}, scale1, scale2, q1, q2);
	hinge.angle = hinge_angle(-lanes3_dot(lanes3_cross(n1, n2), e) * inverse, lanes3_dot(n1, n2), good);
	hinge.angle = lanes_select(good, hinge.angle, none);
	n1 = lanes3_scale(1.0 / area1, n1);
	n2 = lanes3_scale(1.0 / area2, n2);
	Lanes be = lanes3_dot(b, e) * inverse, de = lanes3_dot(d, e) * inverse;
	Lanes ae = lanes3_dot(a, e) * inverse, ce = lanes3_dot(c, e) * inverse;
	hinge.gradient[2] = where(good, lanes3_scale(length, n1));
	hinge.gradient[3] = where(good, lanes3_scale(length, n2));
	hinge.gradient[0] = where(good, lanes3_madd(lanes3_scale(be, n1), de, n2));
	hinge.gradient[1] = where(good, lanes3_madd(lanes3_scale(-ae, n1), -ce, n2));
	return hinge;
}

/* The moment of damping. */
LANES_INLINE Lanes hinge_lose(KernelBatch *batch, const Block *block, const Hinge *hinge, Lanes stiffness, bool weighted)
{
	Lanes angle = hinge->angle;
	Memory memory = recall(block, 1);
	Lanes change = angle - memory.measure[0];
	const Lanes turn = lanes_all(2.0 * REAL_PI);
	change = lanes_select((LanesMask)(change > REAL_PI), change - turn,
	    lanes_select((LanesMask)(change < -REAL_PI), change + turn, change));
	Lanes pull = 2.0 * stiffness * parameter_of(block, FORCE_HINGE_RELAXATION) * (change / batch->since);
	if (weighted)
		pull = pull * hinge->weight;
	count_work(batch, memory.pull[0], pull, change);
	memory.measure[0] = angle;
	memory.pull[0] = pull;
	remember(block, 1, &memory);
	return pull;
}

/* Without weights it gives up, having changed nothing, when a hinge of the block needs one. */
LANES_INLINE bool hinge_block(KernelBatch *batch, const Block *block, bool weighted)
{
	Hinge hinge = hinge_at(batch, block, weighted);
	if (!weighted && __builtin_expect(lanes_any(hinge.squeezed), 0))
		return false;
	Lanes stiffness = parameter_of(block, FORCE_HINGE_STIFFNESS);
	Lanes bend = hinge.angle - parameter_of(block, FORCE_HINGE_REST_ANGLE);
	Lanes moment = 2.0 * stiffness * bend;
	if (weighted)
		moment = moment * hinge.weight;
	Lanes pull = moment, lift = -(stiffness * (bend * bend - FORCE_HINGE_COLLAPSE));
	if (block->measure != NULL)
		pull = hinge_lose(batch, block, &hinge, stiffness, weighted);
	for (int c = 0; c < 4; c++) {
		Lanes3 force = lanes3_scale(-moment, hinge.gradient[c]);
		if (weighted)
			force = lanes3_select(hinge.squeezed, lanes3_madd(force, lift, hinge.slope[c]), force);
		if (block->measure != NULL)
			force = lanes3_add(force, lanes3_scale(-pull, hinge.gradient[c]));
		give(batch, block, c, force);
	}
	return true;
}

static __attribute__((noinline)) void squeezed_block(KernelBatch *batch, const Block *block)
{
	hinge_block(batch, block, true);
}

void LANES_NAME(kernel_hinge)(KernelBatch *batch)
{
	for (uint32_t b = 0; b * LANES < batch->n_elements; b++) {
		Block block = block_of(batch, b, 4, FORCE_HINGE_N, 1);
		if (!hinge_block(batch, &block, false))
			squeezed_block(batch, &block);
	}
}
