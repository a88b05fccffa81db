/* What real_atan2() and its twin in lanes are made of; derived in real.c. */
#ifndef CINCH_CORE_ARC_TANGENT_H
#define CINCH_CORE_ARC_TANGENT_H

/* atan(z) = z + z s P(s), s = z^2, |z| <= tan(pi/8). */
#define ARC_TANGENT_0 (-0x1.5555555555555p-2)
#define ARC_TANGENT_1 0x1.999999999934ap-3
#define ARC_TANGENT_2 (-0x1.24924924360cbp-3)
#define ARC_TANGENT_3 0x1.c71c7185314cbp-4
#define ARC_TANGENT_4 (-0x1.745d0b26b83e7p-4)
#define ARC_TANGENT_5 0x1.3b1262d95579ep-4
#define ARC_TANGENT_6 (-0x1.10fa75382537fp-4)
#define ARC_TANGENT_7 0x1.dfe61e80903d2p-5
#define ARC_TANGENT_8 (-0x1.a098bb6ba4941p-5)
#define ARC_TANGENT_9 0x1.41603647c7a7cp-5
#define ARC_TANGENT_10 (-0x1.3a2b7a07caea9p-6)

/* m pi/4 = high + low, m = 0 to 4. */
#define EIGHTH_HIGH_1 0x1.921fb54442d18p-1
#define EIGHTH_HIGH_2 0x1.921fb54442d18p+0
#define EIGHTH_HIGH_3 0x1.2d97c7f3321d2p+1
#define EIGHTH_HIGH_4 0x1.921fb54442d18p+1
#define EIGHTH_LOW_1 0x1.1a62633145c07p-55
#define EIGHTH_LOW_2 0x1.1a62633145c07p-54
#define EIGHTH_LOW_3 0x1.a79394c9e8a0ap-54
#define EIGHTH_LOW_4 0x1.1a62633145c07p-53

#define TAN_EIGHTH_PI 0x1.a827999fcef32p-2

#endif
