#!/bin/sh
# SPDX-License-Identifier: MIT
# names.sh - a user's macros, of whatever name, do not break the public headers: every word there is a keyword, a documented public
# name, or begins with wsfj_. Environment: srcdir, CC, CXX.
#
# Catches: `unused` instead of `__unused__` in an attribute, a parameter or a member `n`: `#define n 10` breaks them.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"

keywords='auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas _Alignof _Bool _Generic
_Pragma _Static_assert static_assert template class typename true false bool nullptr constexpr decltype noexcept'
standard='NULL UINT64_MAX PTHREAD_CANCEL_DISABLE int64_t size_t uint32_t uint64_t uintptr_t errno fprintf free malloc memcpy memset stderr strerror pthread_setcancelstate'
# The fields of the two public structures are documented names.
fields=$(sed -n '/^struct ws_\(config\|stats\) {/,/^};/p' "$srcdir/include/wsfj.h" | sed 's|/\*.*||; /^ *\*/d; s/(void.*//' |
    grep -oE '[a-z_]+\)?(\[5\])?(;|$)' | sed 's/[^a-z_].*//' | sort -u)
fields="$fields at status kind ready object" # of WS_TRIED, of ws_thing

# words HEADER FLAGS...: the words of the public headers that a program sees which includes HEADER: declarations and the bodies of
# macros. A macro's parameters are its own, and so is what ## joins.
words() {
    header=$1
    shift
    # shellcheck disable=SC2086
    echo "#include <$header>" | $compiler "-I$srcdir/include" "$@" -E -dD - | awk -v include="$srcdir/include/" '
        /^# [0-9]+ "/ { ours = index($3, "\"" include) == 1; next }
        !ours || /^#(pragma|undef)/ { next }
        {
            gsub(/"([^"\\]|\\.)*"/, " ")
            gsub(/\047([^\047\\]|\\.)*\047/, " ")
            split("", own)
            if (sub(/^#define /, "")) {
                match($0, /^[A-Za-z_0-9]+(\([^)]*\))?/)
                head = substr($0, 1, RLENGTH)
                $0 = substr($0, RLENGTH + 1)
                n = split(head, part, /[(), ]+/)
                print part[1]
                for (i = 2; i <= n; i++)
                    own[part[i]]
            }
            while (match($0, /[A-Za-z_0-9]*( *## *[A-Za-z_0-9]+)+|[A-Za-z_][A-Za-z_0-9]*|[0-9][A-Za-z_0-9.]*/)) {
                word = substr($0, RSTART, RLENGTH)
                $0 = substr($0, RSTART + RLENGTH)
                if (word !~ /^[0-9]/ && word !~ /##/ && !(word in own))
                    print word
            }
        }' | sort -u
}

# no_strangers HEADER FLAGS...
no_strangers() {
    words "$@" >"$tmp/words"
    printf '%s\n' $allowed | sort -u >"$tmp/allowed"
    strangers=$(grep -vE '^(ws_|WS_|wsfj_|WSFJ|__)' "$tmp/words" | grep -vxFf "$tmp/allowed")
    [ "$(wc -l <"$tmp/words")" -gt 100 ] && [ -z "$strangers" ] && return
    echo "words that a user's macro may replace:" $strangers
    return 1
}

# A program whose own names nobody else has, between macros of every English word in the headers.
every_word() {
    cat "$srcdir"/include/*.h "$srcdir"/include/wsfj/*.h "$srcdir"/include/wsfj/inline/*.h | grep -oE '[A-Za-z_][A-Za-z_0-9]*' |
        grep -vE '^(ws_|WS_|wsfj_|WSFJ|_|E[A-Z]+$)' | sort -u >"$tmp/all"
    printf '%s\n' $keywords $standard $fields defined include define ifdef ifndef endif elif pragma system_header GCC error push pop \
        diagnostic ignored clang UINT64_C size and or not | sort -u >"$tmp/allowed"
    grep -vxFf "$tmp/allowed" "$tmp/all" | sed 's/.*/#define & @/'
}

program() {
    cat <<'END'
WS_TASK(long, zz_fib, long, zz_n)
{
    long zz_x, zz_y;

    if (zz_n < 2)
        return zz_n;
    ws_spawn(zz_fib, &zz_x, zz_n - 1);
    zz_y = ws_call(zz_fib, zz_n - 2);
    ws_sync();
    return zz_x + zz_y;
}

WS_TASK_VOID(zz_note, const char *, zz_c, int, zz_i)
{
    (void)zz_c;
    WS_BLOCKING (void)zz_i;
}

static WS_LOOP(zz_loop, long, zz_i, long *, zz_p)
{
    zz_p[zz_i]++;
}

static WS_LOOP_STATIC(zz_static, long, zz_i, long *, zz_p)
{
    zz_p[zz_i]++;
}

static WS_LOOP2(zz_loop2, long, zz_i, int, zz_j, long *, zz_p)
{
    zz_p[zz_i] += zz_j;
}

static WS_REDUCE(long, 0, WS_ADD, zz_sum, long, zz_i, const long *, zz_p)
{
    return zz_p[zz_i];
}

static WS_REDUCE_ANY(long, 0, WS_MAX, zz_any, long, zz_i, const long *, zz_p)
{
    return zz_p[zz_i];
}

extern int zz_main(void);
int zz_main(void)
{
    long zz_x = 0, zz_y = 0;
    ws_frame();
    ws_pinned();
    ws_spawn(zz_fib, &zz_y, 2);
    ws_spawn(zz_note, "", 2);
    ws_sync();
    zz_x += ws_for(zz_loop, 0, 1, &zz_y) + ws_for(zz_static, 0, 1, &zz_y) + ws_for(zz_loop2, 0, 1, 0, 3, &zz_y);
    zz_x += ws_for(zz_sum, &zz_x, 0, 1, &zz_y) + ws_for(zz_any, &zz_x, 0, 1, &zz_y);
    return ws_run(zz_fib, &zz_x, 20) + ws_run(zz_note, "", 1) + (int)zz_y;
}
END
}

# survives PLACE FLAGS...: the program compiles with the macros before or after the include.
survives() {
    place=$1
    shift
    {
        echo '#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>' # their own words are not ours
        [ "$place" = after ] || every_word
        echo '#include <wsfj.h>'
        [ "$place" = before ] || every_word
        program
    } >"$tmp/program"
    # shellcheck disable=SC2086
    [ "$(grep -c '^#define' "$tmp/program")" -gt 300 ] && $compiler "-I$srcdir/include" "$@" -c -o "$tmp/program.o" "$tmp/program"
}

for compiler in "$CC -std=c11 -x c" "$CXX -std=c++17 -x c++"; do
    if ! command -v "${compiler%% *}" >/dev/null; then
        echo "skipped: there is no ${compiler%% *}"
        continue
    fi
    allowed="$keywords $standard $fields"
    for mode in -DWSFJ_PARALLEL -DWSFJ_NO_ASM -DWSFJ_DEBUG -DWSFJ_SERIAL -DWSFJ_PROFILE '-DWSFJ_RACE -fsanitize=thread'; do
        # shellcheck disable=SC2086
        check "$compiler $mode: no word that a macro could replace" no_strangers wsfj.h $mode
        check "$compiler $mode: macros of every word before the include" survives before $mode
        check "$compiler $mode: macros of every word after the include" survives after $mode
    done
done
# wsfj.hpp: the words of C++, the names of std that it uses, and its own public names.
if command -v "${CXX%% *}" >/dev/null; then
    compiler="$CXX -std=c++17 -x c++"
    allowed="$keywords $standard $fields alignas alignof catch class delete explicit namespace new noreturn operator private public
        reinterpret_cast static_cast this thread_local throw try using virtual
        std abi abort addressof atomic common_type_t compare_exchange_weak conditional_t current_exception decay_t exception_ptr exchange forward
        fprintf generic_category get in_place in_place_t index_sequence index_sequence_for invoke invoke_result_t is_assignable_v
        is_constructible_v is_floating_point_v is_function_v is_integral_v is_invocable_r_v is_invocable_v is_move_assignable_v is_move_constructible_v
        is_object_v is_same_v is_signed_v is_trivially_copy_constructible_v is_trivially_copyable_v is_trivially_destructible_v
        is_void_v load chrono ceil count duration emplace is_default_constructible_v nanoseconds now nullopt optional steady_clock
        time_point make_unique memory_order_relaxed memset move nothrow ref release remove_cv_t remove_reference_t reset
        rethrow_exception stderr swap system_error tuple uncaught_exceptions unique_ptr
        ws blocking blocking_call cancel cancelled deadline error for_each group parallel_invoke phase pin reduce reduce_any run scope spawn submit sync task_scope try_submit wait
        acquire channel close event future is_set lock mutex receive receive_until semaphore send send_until set set_exception set_value
        try_acquire try_acquire_until try_lock try_lock_for try_lock_until try_receive try_send unlock wait_until"
    for mode in -DWSFJ_PARALLEL -DWSFJ_SERIAL -DWSFJ_PROFILE '-DWSFJ_RACE -fsanitize=thread'; do
        # shellcheck disable=SC2086
        check "$compiler wsfj.hpp $mode: no word that a macro could replace" no_strangers wsfj.hpp $mode
    done
fi
finish
