#!/bin/sh
# SPDX-License-Identifier: MIT
# warnings.sh - the whole interface under every warning that the compiler has: gcc's list is that of --help=warnings, clang's is
# -Weverything. C11 to C23, C++17 to C++23 (wsfj.hpp, too); the first without optimisation, whose warnings do not depend on
# the standard. Environment: srcdir, CC, CXX; WSFJ_TEST_FULL: also the standards between the first and the last, and all
# with optimisation; WSFJ_TEST_MATRIX=1 (make check-matrix): gcc and clang, too.
#
# Catches: a macro that warns in the user's code under an option that -Wall and -Wextra do not have.
srcdir=${srcdir:-.}
. "$srcdir/tests/build/checks"
export LC_ALL=C

# What is not asked for, because no other program can please these, or because the test's own code is meant.
taste() {
    cat <<'END'
aggregate-return               a task may return a structure
c++98-compat                   C++17
c++98-compat-pedantic          C++17
c90-c99-compat                 C11
declaration-after-statement    C11; WS_TASK itself needs none (messages.sh)
float-equal                    the test compares results
noexcept                       std::invoke_result of a lambda
old-style-cast                 the test is C, too
packed                         descriptors are aligned on purpose
padded                         structures have holes
redundant-tags                 the test is C, too
traditional                    C before 1989
traditional-conversion         C before 1989
unknown-warning-option         this list is for all compilers
used-but-marked-unused         helpers of a task that only some spawns use
zero-as-null-pointer-constant  the test is C, too
END
}

# options COMPILER STANDARD LANGUAGE: those that it takes without an argument and for this language.
options() {
    case $($1 --version) in *clang*) echo -Weverything; return ;; esac
    $1 --help=warnings | awk '$1 ~ /^-W[a-z0-9+-]*[a-z0-9+]$/ && $1 !~ /^-W(error.*|fatal-errors|system-headers)$/ { print $1 }' |
        sort -u >"$tmp/options"
    echo 'extern int i;' >"$tmp/empty"
    for _ in 1 2 3 4; do
        # shellcheck disable=SC2046
        $1 -std="$2" $(cat "$tmp/options") -fsyntax-only -x "$3" "$tmp/empty" 2>&1 | grep -o "'-W[^']*'" | tr -d "'" |
            sed 's/^-Werror=/-W/; s/=.*//' | sort -u >"$tmp/refused"
        [ -s "$tmp/refused" ] || break
        grep -vxFf "$tmp/refused" "$tmp/options" >"$tmp/taken"
        mv "$tmp/taken" "$tmp/options"
    done
    cat "$tmp/options"
}

# In forms.c some tasks have a WS_DECLARE, as in a header, and then a WS_TASK: the compiler sees two declarations.
cat >"$tmp/fold.c" <<'END'
#include <wsfj.h>
static void zero(long *p)
{
    *p = 0;
}
static void add(long *to, const long *from)
{
    *to += *from;
}
extern long sum_of(unsigned n);
static WS_FOLD(long, zero, add, fold, long *, sum, unsigned, i)
{
    *sum += i;
}
static WS_TRY(first, unsigned, i)
{
    return i > 5;
}
long sum_of(unsigned n)
{
    long sum = 0;
    WS_TRIED(unsigned) r = {0, 0};
    return ws_for(fold, &sum, 0, n) || ws_for(first, &r, 0, n) ? -1 : sum + r.status;
}
END
cat >"$tmp/hpp.cc" <<'END'
#include <chrono>
#include <string>
#include <wsfj.hpp>
#include <wsfj/wait.hpp>
extern long all(long n);
extern long waits();
static long fib(long n)
{
    if (n < 2)
        return n;
    long x, y;
    ws::task_scope s;
    s.spawn(x, fib, n - 1);
    s.spawn([](std::string) {}, "text");
    y = fib(n - 2);
    s.sync();
    return x + y;
}
long all(long n)
{
    const long limit = ws::run([n] { return fib(n); });
    long last = 0;
    ws::for_each(0L, limit, [&last](long i) { last = i; });
    return last + ws::reduce(0L, limit, 0L, [](long x, long y) { return x + y; }, [](long i) { return i; });
}
long waits()
{
    const auto soon = std::chrono::steady_clock::now() + std::chrono::milliseconds(1);
    ws::mutex mutex;
    ws::event event;
    ws::semaphore units(1);
    ws::channel<std::string> texts(2);
    ws::channel<long> numbers(0);
    ws::future<long> value;
    ws::group group;
    group.deadline(ws_now() + 1000000);
    group.submit([&event] { event.set(); });
    mutex.lock();
    mutex.unlock();
    if (mutex.try_lock_for(std::chrono::seconds(1)) && mutex.try_lock_until(soon) && units.try_acquire_until(soon))
        units.release();
    (void)texts.send("text");
    (void)texts.receive_until(soon);
    texts.close();
    (void)numbers.send_until(1L, soon);
    (void)numbers.try_send(2L);
    (void)numbers.try_receive();
    (void)value.set_value(event.wait_until(soon) ? 1 : 0);
    (void)group.cancel(1);
    return value.wait_until(soon) ? value.get() : 0;
}
END

# quiet COMPILER STANDARD LANGUAGE FILE: prints what is not a matter of taste.
quiet() {
    # shellcheck disable=SC2046
    $1 -std="$2" $level $(cat "$tmp/all") $(taste | sed 's/^/-Wno-/; s/ .*//') "-I$srcdir/include" -c -o "$tmp/o" -x "$3" "$4" \
        >"$tmp/said" 2>&1 || { cat "$tmp/said"; return 1; }
    ! grep ': warning: ' "$tmp/said" | grep -v 'command-line option'
}

tried='' full=${WSFJ_TEST_MATRIX-}${WSFJ_TEST_FULL-}
for compiler in "$CC" "$CXX" ${WSFJ_TEST_MATRIX:+gcc clang g++ clang++}; do
    case " $tried no " in *" $compiler "*) continue ;; esac
    tried="$tried $compiler"
    command -v "${compiler%% *}" >/dev/null || continue
    case $compiler in
        *++*) language=c++ standards="c++17 ${full:+c++20} c++2b" ;;
        *) language=c standards="c11 ${full:+c17} c2x" ;;
    esac
    for standard in $standards; do
        level=-O2
        case "$full $standard" in ' c11' | ' c++17') level=-O0 ;; esac
        options "$compiler" "$standard" "$language" >"$tmp/all"
        check "$compiler -std=$standard: there are options" test -s "$tmp/all"
        for file in "$tmp/fold.c" "$srcdir/tests/build/loops.c" "$srcdir/tests/build/serial.c" "$srcdir/tests/build/user.c"; do
            check "$compiler -std=$standard: $(basename "$file") is quiet" quiet "$compiler" "$standard" "$language" "$file"
        done
        [ $language = c ] || check "$compiler -std=$standard: wsfj.hpp is quiet" quiet "$compiler" "$standard" c++ "$tmp/hpp.cc"
        echo -Wno-redundant-decls >>"$tmp/all"
        check "$compiler -std=$standard: forms.c is quiet" quiet "$compiler" "$standard" "$language" "$srcdir/tests/build/forms.c"
    done
done
finish
