/* SPDX-License-Identifier: MIT */
/* Sorted sets, against a list that is looked through. */
#include "base/tree.h"

#include "support.h"

TestSuite(tree);

enum { MOST = 64 };

struct member {
    struct cushim__tree_node node;
    uint64_t value, sum;
};

static struct member *member_of(struct cushim__tree_node *node)
{
    return CUSHIM__TREE_MEMBER(node, struct member, node);
}

static void add_up(struct cushim__tree_node *node)
{
    struct member *member = member_of(node);

    member->sum = member->value;
    for (int i = 0; i < 2; i++)
        member->sum += node->child[i] ? member_of(node->child[i])->sum : 0;
}

static unsigned drawn(unsigned n)
{
    static uint64_t state = 88172645463325252u;

    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned) (state >> 11) % n;
}

static bool is_before(const struct cushim__tree_node *a, uint64_t major, uint64_t minor)
{
    return a->major < major || (a->major == major && a->minor < minor);
}

/* The first member from the numbers on, or the last one before them, by looking at all. */
static const struct cushim__tree_node *look(const struct member *members, uint64_t major,
                                            uint64_t minor, bool before)
{
    const struct cushim__tree_node *found = NULL;

    for (int i = 0; i < MOST; i++) {
        const struct cushim__tree_node *node = &members[i].node;

        if (!node->inside || is_before(node, major, minor) != before)
            continue;
        if (!found || is_before(node, found->major, found->minor) != before)
            found = node;
    }
    return found;
}

static bool is_there(const struct member *members, uint64_t major, uint64_t minor)
{
    const struct cushim__tree_node *node = look(members, major, minor, false);

    return node && node->major == major && node->minor == minor;
}

static void check_order(const struct cushim__tree *tree, const struct member *members)
{
    struct cushim__tree_node *node = cushim__tree_first(tree), *next;
    uint64_t sum = 0, expected = 0;
    size_t n = 0, inside = 0;

    for (; node; node = next, n++) {
        next = cushim__tree_next(node);
        sum += member_of(node)->value;
        cr_assert(next == NULL || is_before(node, next->major, next->minor));
        cr_assert(next == NULL || cushim__tree_previous(next) == node);
        cr_assert(next != NULL || cushim__tree_last(tree) == node);
    }
    for (int i = 0; i < MOST; i++) {
        inside += members[i].node.inside;
        expected += members[i].node.inside ? members[i].value : 0;
    }
    cr_assert(eq(sz, n, inside));
    cr_assert(eq(u64, sum, expected));
    cr_assert(eq(u64, tree->root ? member_of(tree->root)->sum : 0, expected));
}

static void change(struct cushim__tree *tree, struct member *members)
{
    struct member *member = &members[drawn(MOST)];
    const uint64_t major = drawn(12), minor = drawn(12);

    if (member->node.inside && drawn(2)) {
        member->value = drawn(100);
        cushim__tree_changed(tree, &member->node);
    } else if (member->node.inside) {
        cushim__tree_remove(tree, &member->node);
    } else if (!is_there(members, major, minor)) {
        member->value = drawn(100);
        cushim__tree_add(tree, &member->node, major, minor);
    }
}

Test(tree, is_what_a_list_would_be)
{
    struct cushim__tree tree = {.sum = add_up};
    struct member members[MOST] = {0};

    for (int round = 0; round < 20000; round++) {
        const uint64_t major = drawn(13), minor = drawn(13);

        change(&tree, members);
        check_order(&tree, members);
        cr_assert(cushim__tree_from(&tree, major, minor) == look(members, major, minor, false));
        cr_assert(cushim__tree_before(&tree, major, minor) == look(members, major, minor, true));
        cr_assert(eq(int, cushim__tree_find(&tree, major, minor) != NULL,
                     is_there(members, major, minor)));
    }
}

static unsigned depth_of(const struct cushim__tree_node *node)
{
    unsigned depth = 0;

    for (; node; node = node->parent)
        depth++;
    return depth;
}

/* With 2^17 members a random tree is some 40 deep; a list would be 131072. */
Test(tree, is_flat_in_whatever_order_it_is_filled)
{
    enum { N = 1 << 17, FLAT = 100 };
    struct member *members = calloc(N, sizeof(*members));
    struct cushim__tree tree = {.root = NULL};
    unsigned deepest = 0;

    cr_assert(members != NULL);
    for (uint64_t i = 0; i < N; i++)
        cushim__tree_add(&tree, &members[i].node, i, 0);
    for (int i = 0; i < N; i++) {
        const unsigned depth = depth_of(&members[i].node);

        deepest = depth > deepest ? depth : deepest;
    }
    cr_expect(lt(uint, deepest, FLAT));
    for (int i = 0; i < N; i++)
        cushim__tree_remove(&tree, &members[i].node);
    cr_expect(tree.root == NULL);
    free(members);
}
