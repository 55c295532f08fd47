/* SPDX-License-Identifier: MIT */
/* A program, where a library is asked for. */
int main(void)
{
    return 0;
}
