/* Four points that lie in a plane can be looked at along a coordinate axis without loss when the plane does not contain
 * that axis: when some three of them are not in line, seen along it. All tests in a plane are made in such a view. */
#include "verify/meet.h"

static int orient3(const MeetSigns *s, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	return s->orient3(s->source, a, b, c, d);
}

static int orient2(const MeetSigns *s, int axis, uint32_t a, uint32_t b, uint32_t c)
{
	return s->orient2(s->source, axis, a, b, c);
}

/* An axis along which the three points are seen not to be in line; -1 when they are in line. */
static int view_axis(const MeetSigns *s, uint32_t a, uint32_t b, uint32_t c)
{
	for (int axis = 0; axis < 3; axis++)
		if (orient2(s, axis, a, b, c) != 0)
			return axis;
	return -1;
}

static bool same_point(const MeetSigns *s, uint32_t a, uint32_t b)
{
	for (int axis = 0; axis < 3; axis++)
		if (s->compare(s->source, axis, a, b) != 0)
			return false;
	return true;
}

static bool point_on_segment(const MeetSigns *s, uint32_t p, uint32_t a, uint32_t b)
{
	for (int axis = 0; axis < 3; axis++)
		if (s->compare(s->source, axis, p, a) * s->compare(s->source, axis, p, b) > 0)
			return false;
	return view_axis(s, p, a, b) < 0;
}

/* Whether the boxes of two segments overlap; for segments of one line that is whether they meet. */
static bool boxes_overlap(const MeetSigns *s, uint32_t p, uint32_t q, uint32_t a, uint32_t b)
{
	for (int axis = 0; axis < 3; axis++) {
		int sum = s->compare(s->source, axis, p, a) + s->compare(s->source, axis, p, b) +
		          s->compare(s->source, axis, q, a) + s->compare(s->source, axis, q, b);
		if (sum == 4 || sum == -4)
			return false;
	}
	return true;
}

static bool segments_meet(const MeetSigns *s, uint32_t p, uint32_t q, uint32_t a, uint32_t b)
{
	if (!boxes_overlap(s, p, q, a, b) || orient3(s, p, q, a, b) != 0)
		return false;
	int axis = view_axis(s, p, q, a);
	if (axis < 0)
		axis = view_axis(s, p, q, b);
	if (axis < 0)
		axis = view_axis(s, a, b, p);
	if (axis < 0) /* all in line */
		return true;
	return orient2(s, axis, p, q, a) * orient2(s, axis, p, q, b) <= 0 &&
	       orient2(s, axis, a, b, p) * orient2(s, axis, a, b, q) <= 0;
}

static bool agree(int a, int b, int c)
{
	return !((a > 0 || b > 0 || c > 0) && (a < 0 || b < 0 || c < 0));
}

static bool point_on_triangle(const MeetSigns *s, uint32_t p, uint32_t a, uint32_t b, uint32_t c)
{
	if (orient3(s, a, b, c, p) != 0)
		return false;
	int axis = view_axis(s, a, b, c);
	if (axis < 0)
		return point_on_segment(s, p, a, b) || point_on_segment(s, p, b, c) || point_on_segment(s, p, c, a);
	return agree(orient2(s, axis, a, b, p), orient2(s, axis, b, c, p), orient2(s, axis, c, a, p));
}

static bool segment_meets_triangle(const MeetSigns *s, uint32_t p, uint32_t q, const uint32_t t[3])
{
	int side_p = orient3(s, t[0], t[1], t[2], p), side_q = orient3(s, t[0], t[1], t[2], q);
	if (side_p * side_q > 0)
		return false;
	if (side_p == 0 && side_q == 0) /* in one plane, or a triangle without area */
		return segments_meet(s, p, q, t[0], t[1]) || segments_meet(s, p, q, t[1], t[2]) ||
		       segments_meet(s, p, q, t[2], t[0]) || point_on_triangle(s, p, t[0], t[1], t[2]);
	if (side_p == 0)
		return point_on_triangle(s, p, t[0], t[1], t[2]);
	if (side_q == 0)
		return point_on_triangle(s, q, t[0], t[1], t[2]);
	return agree(orient3(s, p, q, t[0], t[1]), orient3(s, p, q, t[1], t[2]), orient3(s, p, q, t[2], t[0]));
}

/* Whether all of a is strictly on one side of the plane of b. */
static bool plane_separates(const MeetSigns *s, const uint32_t a[3], const uint32_t b[3])
{
	int first = orient3(s, b[0], b[1], b[2], a[0]);
	return first != 0 && orient3(s, b[0], b[1], b[2], a[1]) == first && orient3(s, b[0], b[1], b[2], a[2]) == first;
}

/* Also when one contains the other: then its sides meet the other. */
static bool triangles_meet(const MeetSigns *s, const uint32_t a[3], const uint32_t b[3])
{
	if (plane_separates(s, a, b) || plane_separates(s, b, a))
		return false;
	for (int i = 0; i < 3; i++)
		if (segment_meets_triangle(s, a[i], a[(i + 1) % 3], b) ||
		    segment_meets_triangle(s, b[i], b[(i + 1) % 3], a))
			return true;
	return false;
}

/* Of elements without a shared vertex, n_a <= n_b. */
static bool strangers_meet(const MeetSigns *s, const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	switch (3 * n_a + n_b) {
	case 3 * 1 + 1:
		return same_point(s, a[0], b[0]);
	case 3 * 1 + 2:
		return point_on_segment(s, a[0], b[0], b[1]);
	case 3 * 1 + 3:
		return point_on_triangle(s, a[0], b[0], b[1], b[2]);
	case 3 * 2 + 2:
		return segments_meet(s, a[0], a[1], b[0], b[1]);
	case 3 * 2 + 3:
		return segment_meets_triangle(s, a[0], a[1], b);
	default:
		return triangles_meet(s, a, b);
	}
}

/* Whether two elements with the corner a[0] = b[0] meet elsewhere, segments or triangles with area. A ray from that
 * corner that runs in both leaves one of them first, through the face that is opposite to the corner. */
static bool fans_meet(const MeetSigns *s, const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	if ((n_a == 2 && same_point(s, a[0], a[1])) || (n_b == 2 && same_point(s, b[0], b[1])))
		return false;
	return strangers_meet(s, a + 1, n_a - 1, b, n_b) || strangers_meet(s, b + 1, n_b - 1, a, n_a);
}

/* The same of any elements: a triangle without area is two segments from the corner. */
static bool neighbours_meet(const MeetSigns *s, const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	if (n_a == 3 && view_axis(s, a[0], a[1], a[2]) < 0) {
		const uint32_t first[2] = {a[0], a[1]}, second[2] = {a[0], a[2]};
		return neighbours_meet(s, first, 2, b, n_b) || neighbours_meet(s, second, 2, b, n_b);
	}
	if (n_b == 3 && view_axis(s, b[0], b[1], b[2]) < 0)
		return neighbours_meet(s, b, n_b, a, n_a);
	return fans_meet(s, a, n_a, b, n_b);
}

/* Two triangles with a common side, corners 0 and 1 of both: they meet elsewhere when they are folded flat. */
static bool hinge_is_flat(const MeetSigns *s, const uint32_t a[3], const uint32_t b[3])
{
	if (orient3(s, a[0], a[1], a[2], b[2]) != 0)
		return false;
	int axis = view_axis(s, a[0], a[1], a[2]);
	if (axis >= 0)
		return orient2(s, axis, a[0], a[1], a[2]) == orient2(s, axis, a[0], a[1], b[2]);
	if (view_axis(s, b[0], b[1], b[2]) >= 0)
		return false;
	/* All in line: beyond the same end of the side. */
	return !point_on_segment(s, a[2], a[0], a[1]) && !point_on_segment(s, b[2], a[0], a[1]) &&
	       (point_on_segment(s, a[2], a[1], b[2]) || point_on_segment(s, b[2], a[1], a[2]));
}

/* Brings the corners of a that b has too to the front, and returns how many there are. */
static int bring_shared_forward(uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	int n_shared = 0;
	for (int i = 0; i < n_a; i++)
		for (int j = 0; j < n_b; j++)
			if (a[i] == b[j]) {
				uint32_t corner = a[i];
				a[i] = a[n_shared];
				a[n_shared++] = corner;
				break;
			}
	return n_shared;
}

bool meet_elements(const MeetSigns *signs, const uint32_t *a, int n_a, const uint32_t *b, int n_b)
{
	if (n_a > n_b)
		return meet_elements(signs, b, n_b, a, n_a);
	uint32_t mine[3], theirs[3];
	for (int i = 0; i < n_a; i++)
		mine[i] = a[i];
	for (int i = 0; i < n_b; i++)
		theirs[i] = b[i];
	int n_shared = bring_shared_forward(mine, n_a, theirs, n_b);
	if (n_shared == 0)
		return strangers_meet(signs, a, n_a, b, n_b);
	if (n_shared == n_a) /* one is a face of the other */
		return false;
	bring_shared_forward(theirs, n_b, mine, n_shared);
	return n_shared == 1 ? neighbours_meet(signs, mine, n_a, theirs, n_b) : hinge_is_flat(signs, mine, theirs);
}
