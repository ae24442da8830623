/* SPDX-License-Identifier: MIT */
/**
 * @file reduce.h
 * Reductions: loops whose iterations have values, which are combined into one.
 *
 * @code
 * static WS_REDUCE(double, 0.0, WS_ADD, dot, long, i, const double *, x, const double *, y) { return x[i] * y[i]; }
 * ...
 * double d;
 * ws_for(dot, &d, 0, n, x, y);
 * @endcode
 *
 * WS_REDUCE(R, identity, combine, f, I, i, ...) { return value; }        the task R f(I lo, I hi, ...)
 * WS_REDUCE_ANY(R, identity, combine, f, I, i, ...) { return value; }    the same
 *
 * All that loop.h says of loops holds. `combine` is an associative function or macro of two values; it need not be
 * commutative, because the values are combined in index order. Each value is computed once, also if `combine` is a macro that
 * uses its arguments twice. `identity` is the value of an empty loop. R is any type that is copied byte by byte; a type
 * larger than some hundred bytes is better served by WS_FOLD.
 *
 * In a cancelled scope (scope.h) a reduction ends early. Its value is then `identity`, also where a thief takes it
 * before it begins; `combine` sees only values that the program has made. The values so far are dropped: what they own
 * is the program's to free. A reduction that was done before the cancellation, or runs in a serial program, has the
 * value of all iterations.
 *
 * WS_REDUCE has the same result, bit for bit, for each number of workers and each schedule, and in the serial elision: the
 * tree of the combinations depends on the number of iterations alone. It is part of the binary interface
 * (inline/reduce_fold.h). Two compilers, or two sets of flags, may still give different bits: -ffp-contract=off, and no
 * -ffast-math, make floating-point results the same.
 *
 * WS_REDUCE_ANY combines as the loop is divided, so floating-point results differ in their last bits from run to run.
 * It has the speed of a plain loop where the combinations take longer than the iterations. WS_REDUCE_ANY begins each
 * piece with `identity`, which must therefore be neutral.
 */
#ifndef WSFJ_REDUCE_H
#define WSFJ_REDUCE_H
#ifndef WSFJ_WARN_IN_HEADERS
#pragma GCC system_header
#endif

#include "loop.h"

#ifdef WSFJ_SERIAL
#include "inline/reduce_serial.h"
#elif defined WSFJ_RACE
#include "inline/race_reduce.h"
#elif defined WSFJ_PROFILE
#include "inline/reduce_profile.h"
#else
#include "inline/reduce_task.h"
#endif

/** Defines a reduction with the same bits for each number of workers and each schedule. */
#define WS_REDUCE(R, identity, combine, ...) WSFJ_LOOP_CUT(WSFJ_REDUCE_MAKE, (R, identity, combine), __VA_ARGS__)
/** Defines a reduction that combines as the loop is divided. */
#define WS_REDUCE_ANY(R, identity, combine, ...)                                                                       \
    WSFJ_LOOP_CUT(WSFJ_REDUCE_ANY_MAKE, (R, identity, combine), __VA_ARGS__)

#define WSFJ_REDUCE_MAKE(extra, ...) WSFJ_REDUCE_SPREAD(WSFJ_REDUCE_2, WSFJ_UN extra, __VA_ARGS__)
#define WSFJ_REDUCE_ANY_MAKE(extra, ...) WSFJ_REDUCE_SPREAD(WSFJ_REDUCE_ANY_2, WSFJ_UN extra, __VA_ARGS__)
#define WSFJ_REDUCE_SPREAD(macro, ...) macro(__VA_ARGS__)

/* Ready-made combinations. Each is a macro of two values, as the program's own may be. */
/** The sum. */
#define WS_ADD(a, b) ((a) + (b))
/** The product. */
#define WS_MUL(a, b) ((a) * (b))
/** The lesser value. */
#define WS_MIN(a, b) ((b) < (a) ? (b) : (a))
/** The greater value. */
#define WS_MAX(a, b) ((a) < (b) ? (b) : (a))
/** Whether both are true. */
#define WS_AND(a, b) ((a) && (b))
/** Whether one is true. */
#define WS_OR(a, b) ((a) || (b))
/** The bits of both. */
#define WS_BIT_AND(a, b) ((a) & (b))
/** The bits of either. */
#define WS_BIT_OR(a, b) ((a) | (b))
/** The bits of one alone. */
#define WS_BIT_XOR(a, b) ((a) ^ (b))

#endif
