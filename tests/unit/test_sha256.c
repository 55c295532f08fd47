/* SPDX-License-Identifier: MIT */
#include "base/sha256.h"

#include <stdio.h>
#include <string.h>

#include "support.h"

SUITE(sha256);

/* FIPS 180-4's own examples, and the lengths at which the end needs another block. */
static const struct {
    size_t n;
    char filler; /* 0: text */
    const char *text, *digest;
} cases[] = {
    {0, 0, "", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
    {3, 0, "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
    {56, 0, "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
     "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    {1000000, 'a', NULL, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
    {55, 'x', NULL, "d5e285683cd4efc02d021a5c62014694958901005d6f71e89e0989fac77e4072"},
    {57, 'x', NULL, "ae14a2563ccf969d99aca69ce6bb74981f734bbf9f655f73b8f06db68cab5217"},
    {63, 'x', NULL, "75220b47218278e656f2013bb8f0c455a25eaf01e86c64924e9d48d89776d6f2"},
    {64, 'x', NULL, "7ce100971f64e7001e8fe5a51973ecdfe1ced42befe7ee8d5fd6219506b5393c"},
    {65, 'x', NULL, "9537c5fdf120482f7d58d25e9ed583f52c02b4e304ea814db1633ad565aed7e9"},
    {119, 'x', NULL, "000b48d4edf0fa7bee3c6236ecd2785baa5db4eeb8bb54341b029e0d9fa5fb0c"},
    {120, 'x', NULL, "13f05a0b594787f5ecd315edc96141bd3243203d1b7d4f0836f37308b276ba98"},
    {128, 'x', NULL, "24da1b81d0b16df6428eee73c69fcb2a93c76bc6df706f0c6670fe6bfe800464"},
};

static void digest_in_parts(const char *bytes, size_t n, size_t part, char *ret_hex)
{
    unsigned char digest[CUSHIM__SHA256_BYTES];
    struct cushim__sha256 state;

    cushim__sha256_start(&state);
    for (size_t i = 0; i < n; i += part)
        cushim__sha256_add(&state, bytes + i, n - i < part ? n - i : part);
    cushim__sha256_end(&state, digest);
    for (size_t i = 0; i < sizeof(digest); i++)
        sprintf(ret_hex + 2 * i, "%02x", digest[i]);
}

Test(sha256, gives_the_digests_of_the_standard)
{
    static const size_t parts[] = {1, 7, 63, 64, 65, 1 << 20};
    static char bytes[1000000];
    char hex[2 * CUSHIM__SHA256_BYTES + 1];

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        if (cases[i].text)
            memcpy(bytes, cases[i].text, cases[i].n);
        else
            memset(bytes, cases[i].filler, cases[i].n);
        for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++) {
            digest_in_parts(bytes, cases[i].n, parts[k], hex);
            cr_expect(eq(str, hex, cases[i].digest), "case %zu in parts of %zu", i, parts[k]);
        }
    }
}
