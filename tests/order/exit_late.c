/* SPDX-License-Identifier: MIT */
/* A library that gives back what it has when it is unloaded, as many do. */
extern void (*exit_late)(void);

__attribute__((visibility("default"))) void (*exit_late)(void);

static __attribute__((destructor)) void give_back(void)
{
    if (exit_late)
        exit_late();
}
