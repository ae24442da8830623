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

#define NO_PROGRAM 127 /* the status of a process that could not run it, and has said so */

static char places[64]; /* of the two workers */

static void set_places(unsigned cpu, unsigned other)
{
    if (cpu == other)
        snprintf(places, sizeof places, "WSFJ_PLACES={%u}", cpu);
    else
        snprintf(places, sizeof places, "WSFJ_PLACES={%u},{%u}", cpu, other);
}

/* The program beside this one, in a build directory; else the installed one. */
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

/* What a process prints that runs the scene. */
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

/* What the scene takes longer here than in virtual time, in nanoseconds. NAN: it cannot be measured, and a line says so. */
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

void calibrate_spawn(FILE *file, unsigned cpu)
{
    uint64_t spawn = sim_costs.spawn, task = sim_costs.task, suspend = sim_costs.suspend, resume = sim_costs.resume;
    double more;

    set_places(cpu, cpu);
    sim_costs.spawn = 0;
    more = missing(file, "spawn");
    sim_costs.spawn = isnan(more) ? spawn : (uint64_t)llround(more * 1000);
    if (!isnan(more))
        calibrate_say(file, "spawn", "with its sync, of an empty task in a loop");
    sim_costs.suspend = sim_costs.resume = sim_costs.task = 0;
    more = missing(file, "detached");
    sim_costs.task = isnan(more) ? task : (uint64_t)llround(more);
    if (!isnan(more))
        calibrate_say(file, "task", "a detached one, with its submission; stolen tasks and roots pay it, too");
    more = missing(file, "suspend");
    sim_costs.suspend = isnan(more) ? suspend : (uint64_t)llround(more / 2);
    sim_costs.resume = isnan(more) ? resume : sim_costs.suspend;
    if (!isnan(more)) {
        calibrate_say(file, "suspend", "half of both, with one worker");
        calibrate_say(file, "resume", "the other half; what follows may replace it");
    }
}

void calibrate_steal(FILE *file, unsigned cpu, unsigned other)
{
    enum wsfj_tier tier = sim_machine_tier(cpu, other);
    uint64_t *cost = &sim_costs.steal[tier], before = *cost;
    char name[64];
    double more;

    set_places(cpu, other);
    *cost = 0;
    more = missing(file, "steal");
    *cost = isnan(more) ? before : (uint64_t)llround(more);
    snprintf(name, sizeof name, "steal.%s", wsfj_tier_names[tier]);
    if (!isnan(more))
        calibrate_say(file, name, "of a public task, from CPU %u by CPU %u", cpu, other);
}

void calibrate_steps(FILE *file, unsigned cpu, unsigned other)
{
    uint64_t asked = sim_costs.asked, answered = sim_costs.answered, forced = sim_costs.forced,
             resume = sim_costs.resume;
    uint64_t line[WSFJ_TIER_COUNT];
    double more;

    set_places(cpu, other);
    /* First, and without lines: where an answer takes long, the virtual thief asks again before the owner's second spawn,
     * which answers, so that nothing is forced. */
    memcpy(line, sim_costs.line, sizeof line);
    memset(sim_costs.line, 0, sizeof line);
    sim_costs.asked = sim_costs.answered = sim_costs.forced = 0;
    more = missing(file, "forced");
    memcpy(sim_costs.line, line, sizeof line);
    sim_costs.forced = isnan(more) ? forced : (uint64_t)llround(more);
    if (!isnan(more))
        calibrate_say(file, "expose.forced", "above the barrier and the wait for an answer");
    more = missing(file, "answered");
    sim_costs.asked = isnan(more) ? asked : (uint64_t)llround(more / 2);
    sim_costs.answered = isnan(more) ? answered : sim_costs.asked;
    if (!isnan(more)) {
        calibrate_say(file, "expose.asked", "half of both, from a spawn to its begin on another CPU");
        calibrate_say(file, "expose.answered", "the other half");
    }
    sim_costs.resume = 0;
    more = missing(file, "join");
    sim_costs.resume = isnan(more) || more < 1 ? resume : (uint64_t)llround(more);
    if (!isnan(more) && more >= 1)
        calibrate_say(file, "resume", "from the end of a child on CPU %u to its parent", other);
}
