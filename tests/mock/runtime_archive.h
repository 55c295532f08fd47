/* SPDX-License-Identifier: MIT */
/* An archive that is taken for libcudadevrt.a, as it begins like that. */
#ifndef TESTS_MOCK_RUNTIME_ARCHIVE_H
#define TESTS_MOCK_RUNTIME_ARCHIVE_H

/* The head of a member of an archive. */
#define MEMBER(name, size) name "0           0     0     644     " size "`\n"

/* As libcudadevrt.a begins: a table of symbols, the long names, and a member that has such a name.
 */
static const char runtime[] = "!<arch>\n" MEMBER("/               ", "3         ") "abc\n" MEMBER(
    "//              ", "24        ") "cuda_device_runtime.o/\n\n" MEMBER("/0              ",
                                                                          "4         ") "\177ELF";

#endif
