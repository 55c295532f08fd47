/* SPDX-License-Identifier: MIT */
#include "standin/nvrtc/store.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/file.h"
#include "base/write_whole.h"

#define LARGEST ((size_t) 1 << 30)

bool store_read(const char *path, bool must_exist, struct answers *ret_answers,
                struct cushim__str *why)
{
    struct cushim__file file;
    const char *wrong;
    unsigned line = 0;
    bool fine;

    *ret_answers = (struct answers){.n = 0};
    if (!cushim__file_read_text(path, LARGEST, &file)) {
        if (file.state == CUSHIM__FILE_ABSENT && !must_exist)
            return true;
        cushim__str_append(why, "%s: %s", path, file.why);
        return false;
    }
    wrong = answers_wrong_form(file.bytes);
    fine = !wrong && answers_read(file.bytes, ret_answers, &line);
    /* mktemp makes an empty file, to be recorded into. */
    if (!*file.bytes && !must_exist)
        fine = true;
    cushim__file_finish(&file);
    if (!fine && wrong)
        cushim__str_append(why, "%s: %s", path, wrong);
    else if (!fine && line)
        cushim__str_append(why, "%s:%u: this line is not of a file of answers", path, line);
    else if (!fine)
        cushim__str_append(why, "%s: out of memory", path);
    return fine;
}

static bool same_lists(const struct list *a, const struct list *b)
{
    if (a->n != b->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (strcmp(a->texts[i], b->texts[i]) != 0)
            return false;
    return true;
}

/* Returns a file that is another one here than it was, or NULL. A name may be that of several. */
static const char *changed_file(const struct answer *answer, const struct answer *question)
{
    for (size_t i = 0; i < question->files.n; i++) {
        bool named = false, same = false;

        for (size_t k = 0; k < answer->files.n; k++) {
            if (strcmp(answer->files.texts[k], question->files.texts[i]) != 0)
                continue;
            named = true;
            same |= !strcmp(answer->digests.texts[k], question->digests.texts[i]);
        }
        if (named && !same)
            return question->files.texts[i];
    }
    return NULL;
}

/* Writes what is recorded that is most like the question. */
static void explain(const struct answers *answers, const struct answer *question,
                    struct cushim__str *why)
{
    const struct answer *named = NULL;

    for (size_t i = 0; i < answers->n; i++) {
        const struct answer *answer = answers->all[i];

        if (strcmp(answer->name, question->name) != 0)
            continue;
        named = answer;
        if (!same_lists(&answer->options, &question->options) ||
            !same_lists(&answer->expressions, &question->expressions))
            continue;
        cushim__str_append(why, "the source, or a header in memory, is another one than was "
                                "recorded");
        return;
    }
    if (named)
        cushim__str_append(why, "a program of this name was recorded with other options or name "
                                "expressions");
    else
        cushim__str_append(why, "no program of this name was recorded");
}

struct answer *store_find(const struct answers *answers, const struct answer *question,
                          struct cushim__str *why)
{
    const char *changed = NULL;

    for (size_t i = 0; i < answers->n; i++) {
        struct answer *answer = answers->all[i];

        if (strcmp(answer->key, question->key) != 0)
            continue;
        changed = changed_file(answer, question);
        if (!changed)
            return answer;
    }
    if (changed)
        cushim__str_append(why, "%s has changed since it was recorded", changed);
    else
        explain(answers, question, why);
    return NULL;
}

/* Locks the folder of a file: the file itself is replaced. Returns the lock, or -1. */
static int lock_folder(const char *path, struct cushim__str *why)
{
    const char *slash = strrchr(path, '/');
    struct cushim__str folder = {0};
    int fd = -1;

    cushim__str_append(&folder, "%.*s.", slash ? (int) (slash - path) + 1 : 0, path);
    if (!folder.failed)
        fd = open(folder.text, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (fd >= 0 && flock(fd, LOCK_EX)) {
        if (errno == EINTR)
            continue;
        close(fd);
        fd = -1;
    }
    if (fd < 0)
        cushim__str_append(why, "%s: %s", path, strerror(errno));
    cushim__str_finish(&folder);
    return fd;
}

/* Replaces the answer to the same question, with the same files, or adds one. */
static bool put(struct answers *answers, struct answer *answer)
{
    for (size_t i = 0; i < answers->n; i++) {
        struct answer *old = answers->all[i];

        if (strcmp(old->key, answer->key) != 0 || !same_lists(&old->files, &answer->files) ||
            !same_lists(&old->digests, &answer->digests))
            continue;
        answers->all[i] = answer;
        return true;
    }
    return answers_add(answers, answer);
}

static bool write_answers(const char *path, struct answers *answers, struct cushim__str *why)
{
    struct cushim__str text = {0};
    int error;

    answers_sort(answers);
    answers_write(&text, answers);
    error = text.failed ? ENOMEM : cushim__write_whole(path, text.text, text.length);
    cushim__str_finish(&text);
    if (error)
        cushim__str_append(why, "%s: %s", path, strerror(error));
    return !error;
}

bool store_add(const char *path, const struct answers *nvrtc, struct answer *answer,
               struct cushim__str *why)
{
    struct answers answers;
    const int lock = lock_folder(path, why);
    bool added;

    if (lock < 0)
        return false;
    added = store_read(path, false, &answers, why);
    if (added) {
        answers.major = nvrtc->major;
        answers.minor = nvrtc->minor;
        answers.archs = nvrtc->archs;
        answers.n_archs = nvrtc->n_archs;
        added = put(&answers, answer) && write_answers(path, &answers, why);
    }
    answers_finish(&answers);
    close(lock);
    return added;
}
