/* SPDX-License-Identifier: MIT */
/* Needs a function that nobody has. */
int fake_nowhere(void);
int fake_unresolved(void);

__attribute__((visibility("default"))) int fake_unresolved(void)
{
    return fake_nowhere();
}
