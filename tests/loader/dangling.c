/* SPDX-License-Identifier: MIT */
/* Needs a library that is not there any more. */
int fake_gone(void);
int fake_dangling(void);

__attribute__((visibility("default"))) int fake_dangling(void)
{
    return fake_gone();
}
