/* SPDX-License-Identifier: MIT */
/*
 * The tree is a treap: it is sorted by number from left to right, and by priority from top to
 * bottom. The priorities are a hash, so the depth is that of a tree to which members were added in
 * random order.
 */
#include "base/tree.h"

/* Returns splitmix64 of the node's address, so that no two nodes have the same priority. */
static uint64_t priority_of(const struct cushim__tree_node *node)
{
    uint64_t z = (uintptr_t) node + UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static bool is_before(const struct cushim__tree_node *node, uint64_t major, uint64_t minor)
{
    return node->major < major || (node->major == major && node->minor < minor);
}

/* Returns the pointer to the node: a child of its parent, or the root. */
static struct cushim__tree_node **link_of(struct cushim__tree *tree,
                                          const struct cushim__tree_node *node)
{
    return node->parent ? &node->parent->child[node->parent->child[1] == node] : &tree->root;
}

static void sum(const struct cushim__tree *tree, struct cushim__tree_node *node)
{
    if (tree->sum)
        tree->sum(node);
}

void cushim__tree_changed(const struct cushim__tree *tree, struct cushim__tree_node *node)
{
    for (; tree->sum && node; node = node->parent)
        tree->sum(node);
}

/* Rotates a node into the place of its parent, which becomes its child. */
static void rise(struct cushim__tree *tree, struct cushim__tree_node *node)
{
    struct cushim__tree_node *parent = node->parent;
    const bool right = parent->child[1] == node;
    struct cushim__tree_node *between = node->child[!right];

    *link_of(tree, parent) = node;
    node->parent = parent->parent;
    node->child[!right] = parent;
    parent->parent = node;
    parent->child[right] = between;
    if (between)
        between->parent = parent;
    sum(tree, parent);
    sum(tree, node);
}

void cushim__tree_add(struct cushim__tree *tree, struct cushim__tree_node *node, uint64_t major,
                      uint64_t minor)
{
    struct cushim__tree_node *parent = NULL, **link = &tree->root;

    while (*link) {
        parent = *link;
        link = &parent->child[is_before(parent, major, minor)];
    }
    *node = (struct cushim__tree_node){.parent = parent, .major = major, .minor = minor};
    node->priority = priority_of(node);
    node->inside = true;
    *link = node;
    sum(tree, node);
    while (node->parent && node->parent->priority < node->priority)
        rise(tree, node);
    cushim__tree_changed(tree, node->parent);
}

static struct cushim__tree_node *higher_child(const struct cushim__tree_node *node)
{
    struct cushim__tree_node *left = node->child[0], *right = node->child[1];

    if (!left || !right)
        return left ? left : right;
    return left->priority > right->priority ? left : right;
}

void cushim__tree_remove(struct cushim__tree *tree, struct cushim__tree_node *node)
{
    struct cushim__tree_node *child;

    if (!node->inside)
        return;
    while ((child = higher_child(node)))
        rise(tree, child);
    *link_of(tree, node) = NULL;
    cushim__tree_changed(tree, node->parent);
    *node = (struct cushim__tree_node){.inside = false};
}

struct cushim__tree_node *cushim__tree_from(const struct cushim__tree *tree, uint64_t major,
                                            uint64_t minor)
{
    struct cushim__tree_node *node = tree->root, *found = NULL;

    while (node) {
        const bool before = is_before(node, major, minor);

        found = before ? found : node;
        node = node->child[before];
    }
    return found;
}

struct cushim__tree_node *cushim__tree_before(const struct cushim__tree *tree, uint64_t major,
                                              uint64_t minor)
{
    struct cushim__tree_node *node = tree->root, *found = NULL;

    while (node) {
        const bool before = is_before(node, major, minor);

        found = before ? node : found;
        node = node->child[before];
    }
    return found;
}

struct cushim__tree_node *cushim__tree_find(const struct cushim__tree *tree, uint64_t major,
                                            uint64_t minor)
{
    struct cushim__tree_node *node = cushim__tree_from(tree, major, minor);

    return node && node->major == major && node->minor == minor ? node : NULL;
}

/* Returns the leftmost or rightmost node below a node. */
static struct cushim__tree_node *end_of(struct cushim__tree_node *node, bool right)
{
    while (node && node->child[right])
        node = node->child[right];
    return node;
}

static struct cushim__tree_node *neighbour(const struct cushim__tree_node *node, bool right)
{
    if (node->child[right])
        return end_of(node->child[right], !right);
    while (node->parent && node->parent->child[right] == node)
        node = node->parent;
    return node->parent;
}

struct cushim__tree_node *cushim__tree_first(const struct cushim__tree *tree)
{
    return end_of(tree->root, false);
}

struct cushim__tree_node *cushim__tree_next(const struct cushim__tree_node *node)
{
    return neighbour(node, true);
}

struct cushim__tree_node *cushim__tree_last(const struct cushim__tree *tree)
{
    return end_of(tree->root, true);
}

struct cushim__tree_node *cushim__tree_previous(const struct cushim__tree_node *node)
{
    return neighbour(node, false);
}
