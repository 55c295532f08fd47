/* SPDX-License-Identifier: MIT */
/* A library that another one needs. */
int fake_gone(void);

__attribute__((visibility("default"))) int fake_gone(void)
{
    return 0;
}
