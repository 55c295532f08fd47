/* SPDX-License-Identifier: MIT */
/*
 * A set-user-ID program: whoever starts it must not choose what it loads, so that
 * the environment is not asked. Needs root, who makes such a program of this one.
 */
#include "plain.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int skip(const char *why)
{
    printf("not tested: %s\n", why);
    return SKIP;
}

/* In the program that has another user's rights. */
static int run_with_rights(void)
{
    cushim_driver driver = CUSHIM_NONE;

    if (!getauxval(AT_SECURE))
        return skip("the file system does not honour set-user-ID");
    if (eaccess(FAKE("few"), R_OK))
        return skip("the other user cannot read the test's libraries");
    CHECK_INT(strcmp(getenv("CUSHIM_LIBCUDA"), FAKE("few")), 0);
    /* What is found instead is the machine's business; it is not what the environment says. */
    if (!cushim_open(cushim_open_params(.load_only = true), &driver))
        CHECK_INT(strcmp(cushim_driver_path(driver), FAKE("few")) != 0, 1);
    cushim_close(&driver);
    CHECK_INT(cushim_open(cushim_open_params(.library = FAKE("few")), &driver), CUSHIM_OK);
    CHECK_TEXT(cushim_driver_path(driver), FAKE("few"));
    cushim_close(&driver);
    return failures();
}

/* A copy of this program that belongs to somebody else and runs with their rights. */
static int make_copy(char *path)
{
    const struct passwd *nobody = getpwnam("nobody");
    const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), to = mkstemp(path);
    struct stat info;
    int ok = nobody && from >= 0 && to >= 0 && !fstat(from, &info);

    while (ok && info.st_size) {
        const ssize_t n = sendfile(to, from, NULL, (size_t) info.st_size);

        ok = n > 0;
        info.st_size -= ok ? n : 0;
    }
    ok = ok && !fchown(to, nobody->pw_uid, (gid_t) -1) && !fchmod(to, 04755);
    close(from);
    close(to);
    return ok;
}

int main(int argc, char **argv)
{
    char path[] = "/tmp/cushim-set-user-id-XXXXXX";
    int status = -1, child;

    (void) argv;
    if (argc > 1)
        return run_with_rights();
#ifdef SANITIZED
    return skip("a sanitizer cannot look into such a program");
#endif
    if (geteuid())
        return skip("this takes root");
    if (getenv("LD_PRELOAD"))
        return skip("a preloaded library, such as valgrind's, is not there in such a program");
    if (!make_copy(path)) {
        unlink(path);
        return skip("no such program could be made in /tmp");
    }
    child = fork();
    if (!child) {
        setenv("CUSHIM_LIBCUDA", FAKE("few"), 1);
        execl(path, path, "again", NULL);
        _exit(SKIP);
    }
    waitpid(child, &status, 0);
    unlink(path);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
