/* SPDX-License-Identifier: MIT */
/*
 * The costs of the library's own steps. Most of a step is made of accesses that the simulator charges anyway, since the
 * real code runs. So a small program runs on this machine (wsfj-calibrate), and in virtual time with the costs that are
 * known so far; the step costs what is missing.
 */
#include "calibrate.h"

#include "calls.h"
#include "costs.h"
#include "engine.h"
#include "fail.h"
#include "machine.h"
#include "scenes.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define NO_PROGRAM 127 /* exit status: the process could not run the program, and a line says so */

static char places[64]; /* of the two workers */

static void set_places(unsigned cpu, unsigned other)
{
    if (cpu == other)
        snprintf(places, sizeof places, "WSFJ_PLACES={%u}", cpu);
    else
        snprintf(places, sizeof places, "WSFJ_PLACES={%u},{%u}", cpu, other);
}

/* Runs the wsfj-calibrate beside this program (in a build directory), else the installed one. */
static _Noreturn void exec_calibrate(const char *scene)
{
    char *environment[] = {places, NULL}, self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - sizeof "wsfj-calibrate");
    char *slash;

    if (n > 0) {
        self[n] = '\0';
        slash = strrchr(self, '/');
        strcpy(slash ? slash + 1 : self, "wsfj-calibrate");
        (void)execle(self, "wsfj-calibrate", scene, (char *)NULL, environment);
    }
    (void)execle(PKGLIBEXECDIR "/wsfj-calibrate", "wsfj-calibrate", scene, (char *)NULL, environment);
    fprintf(stderr, "wsfj-sim: --calibrate: %s/wsfj-calibrate: %s\n", PKGLIBEXECDIR, strerror(errno));
    _exit(NO_PROGRAM);
}

static const char *simulated;
static double result;

static void *simulate(void *unused)
{
    result = scene_measure(simulated);
    return unused;
}

static _Noreturn void run_simulated(const char *scene)
{
    clearenv();
    putenv(places);
    sim_machine_start("this", 1);
    sim_costs_seed(1);
    simulated = scene;
    (void)sim_run(simulate, NULL);
    printf("%.3f\n", result);
    fflush(stdout);
    _exit(result < 0);
}

/* Runs the scene in a process and returns the number that it prints; -1: it has failed. */
static double printed(const char *scene, void (*run)(const char *scene))
{
    int ends[2], status;
    char text[64] = "";
    pid_t child;

    fflush(stdout);
    if (pipe(ends) != 0 || (child = fork()) < 0)
        sim_fail(SIM_EXIT_SYSTEM, "--calibrate: no process: %s", strerror(errno));
    if (child == 0) {
        (void)dup2(ends[1], STDOUT_FILENO);
        run(scene);
    }
    close(ends[1]);
    for (size_t n = 0; n < sizeof text - 1;) {
        ssize_t more = read(ends[0], text + n, sizeof text - 1 - n);

        if (more <= 0)
            break;
        n += (size_t)more;
    }
    close(ends[0]);
    if (waitpid(child, &status, 0) < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == NO_PROGRAM))
        exit(SIM_EXIT_SYSTEM);
    if (status != 0)
        return -1;
    return strtod(text, NULL);
}

/* How much longer the scene takes here than in virtual time, in nanoseconds. NAN: not measured, and a line says so. */
static double missing(FILE *file, const char *scene)
{
    double here = printed(scene, exec_calibrate), there = printed(scene, run_simulated);

    if (here < 0 || there < 0) {
        fprintf(file, "# %s: not measured\n", scene);
        return NAN;
    }
    fprintf(file, "# %s: %.3f ns here, %.3f ns in virtual time without what follows\n", scene, here, there);
    return here > there ? here - there : 0;
}

/* Measures a step, whose cost is 0 meanwhile: what is missing, in 1 / `per_ns` ns. False: the cost stays as it was. */
static bool measure(FILE *file, const char *scene, double per_ns, uint64_t *cost, uint64_t before)
{
    double more;

    *cost = 0;
    more = missing(file, scene);
    *cost = isnan(more) ? before : (uint64_t)llround(more * per_ns);
    return !isnan(more);
}

/* The same with two steps: each costs a half. */
static bool measure_both(FILE *file, const char *scene, uint64_t *cost, uint64_t before, uint64_t *cost2,
                         uint64_t before2)
{
    bool measured;

    *cost2 = 0;
    measured = measure(file, scene, 0.5, cost, before);
    *cost2 = measured ? *cost : before2;
    return measured;
}

void calibrate_spawn(FILE *file, unsigned cpu)
{
    const struct sim_costs before = sim_costs;

    set_places(cpu, cpu);
    if (measure(file, "spawn", 1000, &sim_costs.spawn, before.spawn))
        calibrate_say(file, "spawn", "with its sync, of an empty task in a loop");
    sim_costs.suspend = sim_costs.resume = 0;
    if (measure(file, "detached", 1, &sim_costs.task, before.task))
        calibrate_say(file, "task", "a detached one, with its submission; stolen tasks and roots pay it, too");
    if (measure_both(file, "suspend", &sim_costs.suspend, before.suspend, &sim_costs.resume, before.resume)) {
        calibrate_say(file, "suspend", "half of both, with one worker");
        calibrate_say(file, "resume", "the other half; what follows may replace it");
    }
}

void calibrate_steal(FILE *file, unsigned cpu, unsigned other)
{
    enum wsfj_tier tier = sim_machine_tier(cpu, other);
    char name[64];

    set_places(cpu, other);
    snprintf(name, sizeof name, "steal.%s", wsfj_tier_names[tier]);
    if (measure(file, "steal", 1, &sim_costs.steal[tier], sim_costs.steal[tier]))
        calibrate_say(file, name, "of a public task, from CPU %u by CPU %u", cpu, other);
}

void calibrate_steps(FILE *file, unsigned cpu, unsigned other)
{
    const struct sim_costs before = sim_costs;
    double more;

    set_places(cpu, other);
    /* First, and without lines: where an answer takes long, the virtual thief asks again before the owner's second spawn,
     * which answers, so that nothing is forced. */
    memset(sim_costs.line, 0, sizeof sim_costs.line);
    sim_costs.asked = sim_costs.answered = 0;
    if (measure(file, "forced", 1, &sim_costs.forced, before.forced))
        calibrate_say(file, "expose.forced", "above the barrier and the wait for an answer");
    memcpy(sim_costs.line, before.line, sizeof sim_costs.line);
    if (measure_both(file, "answered", &sim_costs.asked, before.asked, &sim_costs.answered, before.answered)) {
        calibrate_say(file, "expose.asked", "half of both, from a spawn to its begin on another CPU");
        calibrate_say(file, "expose.answered", "the other half");
    }
    sim_costs.resume = 0;
    more = missing(file, "join");
    sim_costs.resume = more >= 1 ? (uint64_t)llround(more) : before.resume;
    if (more >= 1)
        calibrate_say(file, "resume", "from the end of a child on CPU %u to its parent", other);
}
