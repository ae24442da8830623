#!/bin/sh
# SPDX-License-Identifier: MIT
# symbols.sh - what the library calls in a simulation: the engine and its policy, hwloc, and functions that tell nothing
# of the real machine. Runs in the build directory. Environment: as `simulate` says; NM.
#
# Catches: a call of the library that the prelude does not replace: a clock, a thread, a mask, a processor, a file of
# /proc; and a file of the library that is not in the simulator.
. "${srcdir:-.}/tests/sim/simulate"
NM=${NM:-nm}
command -v "${NM%% *}" >/dev/null || exit 77

cat >"$tmp/allowed" <<'END'
_GLOBAL_OFFSET_TABLE_ __dso_handle __errno_location __popcountdi2 _DYNAMIC
abort at_quick_exit __cxa_atexit pthread_atfork pthread_mutex_trylock dl_iterate_phdr getauxval geteuid getuid sysconf environ
pthread_attr_destroy pthread_attr_getstack pthread_attr_init pthread_attr_setstack pthread_attr_setstacksize getrlimit
aligned_alloc calloc free malloc realloc madvise mmap mprotect munlock munmap
__ctype_b_loc __ctype_toupper_loc __isoc99_sscanf __isoc23_sscanf __isoc23_strtol __isoc23_strtoull sscanf
strtod strtoul memcmp memcpy memmove memset strcasecmp strchr strcmp strcpy strcspn strdup strerror strlen strncasecmp strncmp
strrchr strsep strspn strstr strtol strtoull strtol qsort toupper tolower __tolower_loc bcmp
fclose fopencookie fprintf fputc fputs fwrite open_memstream snprintf sprintf vsnprintf program_invocation_short_name
close fcntl fstat ftruncate lseek pread read write freelocale newlocale uselocale
__sched_cpucount __libc_current_sigrtmax __libc_current_sigrtmin
raise sigaction sigaddset sigdelset sigemptyset sigfillset sigismember sigpending sigtimedwait
END
tr ' ' '\n' <"$tmp/allowed" | LC_ALL=C sort -u >"$tmp/names"

$NM libwsfjsim.a 2>/dev/null | awk 'NF == 3 { defined[$3] } NF == 2 && $1 == "U" { used[$2] }
    END { for (name in used) if (!(name in defined)) print name }' | LC_ALL=C sort >"$tmp/used"
check 'the library calls the engine' grep -qx engine_syscall "$tmp/used"
grep -Ev '^(engine|hwloc)_|^__(asan|sanitizer)_|^wsfj_policy$|^sim_others$' "$tmp/used" | LC_ALL=C comm -23 - "$tmp/names" >"$tmp/others"
check "the library calls nothing else: $(tr '\n' ' ' <"$tmp/others")" test ! -s "$tmp/others"

files=0
for file in $LIBRARY_SOURCES; do
    case $file in
    *.[cS]) files=$((files + 1)) ;;
    esac
done
check 'the list of files is known' test $files -gt 50
check 'the simulator has every file of the library' test $files -eq "$(ar t libwsfjsim.a | grep -v -- '-other_' | grep -c '\.o$')"
finish
