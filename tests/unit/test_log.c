/* SPDX-License-Identifier: MIT */
#include "base/log.h"

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/util.h"
#include "support.h"

SUITE(log);

static void collect(enum cushim_log_level level, const char *message, void *user)
{
    cushim__str_append(user, "%d:%s;", (int) level, message);
}

static void log_at_every_level(void)
{
    cushim__log(CUSHIM_LOG_ERROR, "e%d", 1);
    cushim__log(CUSHIM_LOG_WARNING, "w");
    cushim__log(CUSHIM_LOG_INFO, "i");
    cushim__log(CUSHIM_LOG_DEBUG, "d");
}

Test(log, a_callback_gets_what_is_up_to_its_level)
{
    static const char *const wanted[] = {"", "1:e1;", "1:e1;2:w;", "1:e1;2:w;3:i;",
                                         "1:e1;2:w;3:i;4:d;"};

    for (int level = CUSHIM_LOG_NONE; level <= CUSHIM_LOG_DEBUG; level++) {
        SCOPED_STR got = {0};

        cushim_log_set((enum cushim_log_level) level, collect, &got);
        log_at_every_level();
        cr_expect(eq(str, S(cushim__str_get(&got)), S(wanted[level])), "level %d", level);
        for (int l = CUSHIM_LOG_ERROR; l <= CUSHIM_LOG_DEBUG; l++)
            cr_expect(eq(int, cushim__log_wants((enum cushim_log_level) l), l <= level),
                      "a message of level %d at level %d", l, level);
        cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    }
}

Test(log, a_new_callback_replaces_the_old_one)
{
    SCOPED_STR first = {0}, second = {0};

    cushim_log_set(CUSHIM_LOG_DEBUG, collect, &first);
    cushim__log(CUSHIM_LOG_INFO, "one");
    cushim_log_set(CUSHIM_LOG_DEBUG, collect, &second);
    cushim__log(CUSHIM_LOG_INFO, "two");
    cushim_log_set(CUSHIM_LOG_DEBUG, NULL, NULL);
    cushim__log(CUSHIM_LOG_INFO, "three");
    cr_expect(eq(str, S(cushim__str_get(&first)), S("3:one;")));
    cr_expect(eq(str, S(cushim__str_get(&second)), S("3:two;")));
    cr_expect(not(cushim__log_wants(CUSHIM_LOG_ERROR)));
}

Test(log, long_messages_are_cut)
{
    SCOPED_STR got = {0};

    cushim_log_set(CUSHIM_LOG_DEBUG, collect, &got);
    cushim__log(CUSHIM_LOG_INFO, "%0*d", 5000, 7);
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    cr_expect(gt(sz, got.length, 500));
    cr_expect(lt(sz, got.length, 5000));
}

static void collect_and_log(enum cushim_log_level level, const char *message, void *user)
{
    collect(level, message, user);
    cushim__log(level, "from inside");
}

/* It would wait for itself. */
Test(log, what_a_callback_causes_is_dropped)
{
    SCOPED_STR got = {0};

    cushim_log_set(CUSHIM_LOG_DEBUG, collect_and_log, &got);
    cushim__log(CUSHIM_LOG_INFO, "one");
    cushim__log(CUSHIM_LOG_INFO, "two");
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    cr_expect(eq(str, S(cushim__str_get(&got)), S("3:one;3:two;")));
}

static struct {
    sem_t entered, leave;
    atomic_bool replaced;
} slow;

static void stay_until_told(enum cushim_log_level level, const char *message, void *user)
{
    (void) level;
    (void) message;
    (void) user;
    sem_post(&slow.entered);
    sem_wait(&slow.leave);
}

static void *log_one(void *unused)
{
    (void) unused;
    cushim__log(CUSHIM_LOG_ERROR, "slow");
    return NULL;
}

static void *replace(void *unused)
{
    (void) unused;
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    slow.replaced = true;
    return NULL;
}

Test(log, replacing_waits_for_who_is_inside)
{
    pthread_t logger, replacer;

    sem_init(&slow.entered, 0, 0);
    sem_init(&slow.leave, 0, 0);
    cushim_log_set(CUSHIM_LOG_DEBUG, stay_until_told, NULL);
    cr_assert(zero(int, pthread_create(&logger, NULL, log_one, NULL)));
    sem_wait(&slow.entered);
    cr_assert(zero(int, pthread_create(&replacer, NULL, replace, NULL)));
    /* Time enough to go wrong in; a slow machine only makes this test weaker. */
    usleep(30000);
    cr_expect(not(slow.replaced));
    sem_post(&slow.leave);
    pthread_join(replacer, NULL);
    pthread_join(logger, NULL);
    cr_expect(slow.replaced);
}

/* What log_at_every_level() writes to standard error, with CUSHIM_LOG in the environment. */
static void logged_to_stderr(const char *word, char *text, size_t size)
{
    FILE *file = tmpfile();
    const int saved = dup(STDERR_FILENO);
    size_t length;

    cr_assert(ne(ptr, file, NULL));
    setenv("CUSHIM_LOG", word, 1);
    fflush(stderr);
    dup2(fileno(file), STDERR_FILENO);
    log_at_every_level();
    fflush(stderr);
    dup2(saved, STDERR_FILENO);
    close(saved);
    rewind(file);
    length = fread(text, 1, size - 1, file);
    text[length] = '\0';
    fclose(file);
}

#define LOGGED(word, wanted)                                                                       \
    do {                                                                                           \
        char text_[1024];                                                                          \
        run_alone();                                                                               \
        logged_to_stderr(word, text_, sizeof(text_));                                              \
        cr_expect(eq(str, text_, S(wanted)), "CUSHIM_LOG=%s", word);                               \
    } while (0)

#define E_LINE "cushim: error: e1\n"
#define W_LINE "cushim: warning: w\n"
#define I_LINE "cushim: info: i\n"
#define D_LINE "cushim: debug: d\n"

/* The environment is read once, so every word has a test, which is a process, of its own. */
Test(log, environment_error)
{
    LOGGED("error", E_LINE);
}

Test(log, environment_warning)
{
    LOGGED("warning", E_LINE W_LINE);
}

Test(log, environment_info)
{
    LOGGED("info", E_LINE W_LINE I_LINE);
}

Test(log, environment_debug)
{
    LOGGED("debug", E_LINE W_LINE I_LINE D_LINE);
}

Test(log, environment_none)
{
    LOGGED("none", "");
}

Test(log, environment_with_an_unknown_word)
{
    LOGGED("verbose", "cushim: warning: CUSHIM_LOG is 'verbose'; it must be none, error, warning, "
                      "info or debug\n");
}

Test(log, environment_is_replaced_by_a_callback)
{
    SCOPED_STR got = {0};

    run_alone();
    setenv("CUSHIM_LOG", "debug", 1);
    cushim_log_set(CUSHIM_LOG_ERROR, collect, &got);
    LOGGED("debug", "");
    cr_expect(eq(str, S(cushim__str_get(&got)), S("1:e1;")));
    cushim_log_set(CUSHIM_LOG_NONE, NULL, NULL);
    LOGGED("debug", "");
}
