/* SPDX-License-Identifier: MIT */
/*
 * Sixteen processes use one folder, and many of them are killed at any time. Nobody may ever get a
 * wrong or a damaged image, and in the end the folder is whole and within its limit.
 */
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "cache.h"

enum { PROCESSES = 16, KILLS = 100, SOURCES = 24, ENTRIES = 12, BYTES = 40000, COMPILATIONS = 60 };

static char folder[64];
static volatile uint64_t *hits; /* of all processes, which share the page */

static unsigned next(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Long enough for a process to be killed while it writes. */
static void make_source(unsigned number, char *source)
{
    const int n = sprintf(source, "source %u ", number);

    memset(source + n, 'a' + (int) (number % 26), (size_t) (BYTES - n));
    source[BYTES] = 0;
}

static bool is_right(cushim_nvrtc nvrtc, unsigned number)
{
    CUSHIM_SCOPED(cushim_image) image = CUSHIM_NONE;
    char source[BYTES + 1];
    const char *text;

    make_source(number, source);
    if (cushim_compile(source,
                       cushim_compile_params(.nvrtc = nvrtc, .cache = folder,
                                             .cache_bytes = ENTRIES * (BYTES + 1000)),
                       &image)) {
        printf("%s\n", cushim_error_text());
        return false;
    }
    /* A line with a number comes first. */
    text = strchr(cushim_image_data(image, NULL), '\n');
    return text && !strcmp(text + 1, source);
}

static int use_cache(unsigned seed)
{
    cushim_nvrtc nvrtc = CUSHIM_NONE;
    int wrong = 0;

    NEED(!cushim_nvrtc_open(cushim_open_params(.library = FAKE_NVRTC), &nvrtc));
    for (int i = 0; i < COMPILATIONS; i++)
        wrong += !is_right(nvrtc, next(&seed) % SOURCES);
    __atomic_fetch_add(hits, counts_now().hits, __ATOMIC_RELAXED);
    if (counts_now().damaged)
        printf("%d saw %d damaged images\n", (int) getpid(), (int) counts_now().damaged);
    wrong += counts_now().damaged != 0;
    cushim_nvrtc_close(&nvrtc);
    return wrong != 0;
}

static pid_t start(unsigned seed)
{
    const pid_t process = fork();

    NEED(process >= 0);
    if (!process) {
        const int wrong = use_cache(seed);

        fflush(stdout);
        _exit(wrong);
    }
    return process;
}

/* Returns how many processes ended with a failure. */
static int kill_and_start(pid_t *processes, unsigned *state)
{
    int wrong = 0, status;

    for (unsigned i = 0; i < KILLS; i++) {
        const unsigned which = next(state) % PROCESSES;

        usleep(next(state) % 3000);
        kill(processes[which], SIGKILL);
        NEED(waitpid(processes[which], &status, 0) == processes[which]);
        wrong += WIFEXITED(status) && WEXITSTATUS(status);
        processes[which] = start(1000 + i);
    }
    for (int i = 0; i < PROCESSES; i++) {
        NEED(waitpid(processes[i], &status, 0) == processes[i]);
        wrong += !WIFEXITED(status) || WEXITSTATUS(status);
    }
    return wrong;
}

/* One more image makes room, and removes what killed processes left. */
static int check_folder(void)
{
    cushim_nvrtc nvrtc = CUSHIM_NONE;
    int wrong = 0;

    NEED(!cushim_nvrtc_open(cushim_open_params(.library = FAKE_NVRTC), &nvrtc));
    for (unsigned i = 0; i <= SOURCES; i++)
        wrong += !is_right(nvrtc, i);
    wrong += counts_now().damaged != 0;
    cushim_nvrtc_close(&nvrtc);
    if (count_files(folder, ".unfinished") || count_files(folder, ".cushim") > ENTRIES) {
        printf("%zu unfinished files, %zu images\n", count_files(folder, ".unfinished"),
               count_files(folder, ".cushim"));
        wrong++;
    }
    return wrong;
}

int main(void)
{
    pid_t processes[PROCESSES];
    unsigned state = 1;
    int wrong;

    new_folder(folder);
    hits = mmap(NULL, sizeof(*hits), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    NEED(hits != MAP_FAILED);
    for (unsigned i = 0; i < PROCESSES; i++)
        processes[i] = start(i);
    wrong = kill_and_start(processes, &state);
    wrong += check_folder();
    printf("%llu hits, %d processes killed, %d failures\n", (unsigned long long) *hits, KILLS,
           wrong);
    remove_folder(folder);
    return wrong || !*hits;
}
