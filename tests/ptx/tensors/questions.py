#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Prints the questions of a file, without their answers: maps, edits, tiles, im2col, stores or faults.

    questions.py WHICH

They are made by rule, and random ones from a fixed seed: the same each time. tensors.h says what a
question is.
"""

import random
import sys

TYPES = range(16)
SIZES = [1, 2, 4, 4, 8, 8, 2, 4, 8, 2, 4, 4, 4, 0.5, 1, 1]
FLOATS = (6, 7, 8, 9, 10, 11, 12)
EDGES = [0, 1, 2, 8, 16, 17, 32, 256, 257, 0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, 0x100000001,
         0xfffffffff0, 0x10000000000, 0xffffffffffffffff]
MEMORY = 1 << 18

TILED = """t1 = tiled type=6 rank=1 at=0x7f0000000000 dims=64 box=16 steps=1
t2 = tiled type=6 rank=2 at=0x7f0000000000 dims=64,32 strides=128 box=16,8 steps=1,1
t3 = tiled type=7 rank=3 at=0x7f1234567890 dims=60,30,20 strides=256,8192 box=16,8,2 steps=1,1,1
t4 = tiled type=0 rank=4 at=0x7f0000000000 dims=64,32,16,8 strides=64,2048,32768 box=16,8,4,2 steps=1,1,1,1
t5 = tiled type=9 rank=5 at=0x700000000 dims=64,33,17,9,5 strides=160,5280,89760,807840 box=32,8,4,2,3 steps=1,2,3,4,5
i3 = tiled type=6 rank=3 at=0x7f0000000000 dims=64,32,16 strides=128,4096 box=8,4,2 steps=1,1,1 interleave=1
i5 = tiled type=6 rank=5 at=0x7f0000000000 dims=64,32,16,8,4 strides=128,4096,65536,524288 box=8,4,2,2,2 steps=1,1,1,1,1 interleave=2 swizzle=1
p2 = tiled type=13 rank=2 at=0x7f0000000000 dims=256,32 strides=128 box=128,8 steps=1,1
""".splitlines()
IM2COL = """c3 = im2col type=6 rank=3 at=0x7f0000000000 dims=64,32,16 strides=128,4096 lower=-1 upper=1 channels=16 pixels=32 steps=1,1,1
c4 = im2col type=7 rank=4 at=0x7f0000000000 dims=64,32,16,8 strides=256,8192,131072 lower=-1,2 upper=-3,-4 channels=32 pixels=64 steps=1,1,1,1
c5 = im2col type=9 rank=5 at=0x7f0000000000 dims=64,32,16,8,4 strides=128,4096,65536,524288 lower=-1,2,3 upper=-4,-5,6 channels=64 pixels=128 steps=1,2,1,2,1
d4 = im2col type=6 rank=4 at=0x7f0000000000 dims=64,32,16,8 strides=128,4096,65536 lower=-1,-1 upper=1,1 channels=8 pixels=32 steps=1,1,1,1 interleave=1
q4 = im2col type=13 rank=4 at=0x7f0000000000 dims=256,32,16,8 strides=128,4096,65536 lower=-1,-1 upper=1,1 channels=128 pixels=32 steps=1,1,1,1
""".splitlines()
WIDE = """w3 = wide type=6 rank=3 at=0x7f0000000000 dims=64,32,16 strides=128,4096 lower=-1 upper=1 channels=16 pixels=32 steps=1,1,1 swizzle=3
w4 = wide type=6 rank=4 at=0x7f0000000000 dims=64,32,16,8 strides=128,4096,65536 lower=-1 upper=1 channels=16 pixels=32 steps=1,1,1,1 swizzle=2
w5 = wide type=6 rank=5 at=0x7f0000000000 dims=64,32,16,8,4 strides=128,4096,65536,524288 lower=-1 upper=1 channels=16 pixels=32 steps=1,1,1,1,1 swizzle=3
""".splitlines()


def name_of(base):
    return base.split()[0]


def values_of(base, key):
    for word in base.split():
        if word.startswith(key + "="):
            return word.split("=")[1].split(",")
    return []


def scalars(base):
    name = name_of(base)
    for kind in [*TYPES, 16, 17, 99, 0xffffffff]:
        yield f"{name} type={kind}"
    for key in ("interleave", "promote", "fill"):
        for value in [0, 1, 2, 3, 4, 5, 0xffffffff]:
            yield f"{name} {key}={value}"
    for value in [0, 1, 2, 3, 4, 5, 6, 7, 8, 0xffffffff]:
        yield f"{name} swizzle={value}"
    for value in [0, 1, 2, 3, 4, 5, 6, 255, 0xffffffff]:
        yield f"{name} rank={value}"
    for at in [0, 1, 8, 16, 32, 0x1000, 0x7f0000000008, 0x7f0000000010, 0x7f0000000020, 0x700000000000,
               0xffffffffffff, 0x1000000000000, 0x1fffffffffff0, 0xfffffffffffffff0, 0x8000000000000000,
               0x123456789abcdef0, 0x00fffffffffffff0, 0x01fffffffffffff0, 0x03fffffffffffff0]:
        yield f"{name} at={at:#x}"
    for shift in [1, 4, 8, 16, 32, 64]:
        yield f"{name} shift={shift}"
    yield f"{name} alone="
    for key in ("map", "dims", "strides", "box", "steps", "lower", "upper"):
        yield f"{name} null={key}"
    for new in [0, 1, 8, 16, 32, 0x7fffffff0000, 0x7fffffff0010, 0xfffffffffffffff0, 0x1000000000000,
                0x8000000000000000, 0x0123456789abcde0, 0x01ffffffffffffe0]:
        yield f"{name} new={new:#x}"
    yield f"{name} new=0x1000 shift=8"
    yield f"{name} new=0x1000 null=map"


def arrays(base, keys):
    """One element varied at a time."""
    for key, edges in keys:
        values = values_of(base, key)
        for i in range(len(values)):
            for edge in edges:
                changed = values[:i] + [str(edge)] + values[i + 1:]
                yield f"{name_of(base)} {key}={','.join(changed)}"


def pairs(bases):
    """What depends on two: types and inner boxes under each swizzle and interleave."""
    for base in bases:
        name, box = name_of(base), values_of(base, "box") or values_of(base, "channels")
        rest = ",".join(["", *box[1:]])
        for kind in TYPES:
            for fill in (0, 1):
                yield f"{name} type={kind} fill={fill}"
            for swizzle in range(7):
                for interleave in range(3):
                    yield f"{name} type={kind} swizzle={swizzle} interleave={interleave}"
                    if kind in (13, 14, 15):
                        inner = f"channels={128}" if "channels" in base else f"box=128{rest}"
                        yield (f"{name} type={kind} swizzle={swizzle} interleave={interleave} {inner} "
                               f"dims=256{''.join(',' + d for d in values_of(base, 'dims')[1:])}")
            for inner in (1, 4, 8, 16, 24, 32, 64, 128, 256):
                for swizzle in (0, 1, 2, 3):
                    key = f"channels={inner}" if "channels" in base else f"box={inner}{rest}"
                    yield f"{name} type={kind} swizzle={swizzle} {key}"


def packed(base):
    name = name_of(base)
    for kind in (13, 14, 15):
        for dim in (1, 2, 64, 126, 127, 128, 130, 192, 256, 384, 1024):
            yield f"{name} type={kind} dims={dim},32"
        for box in (16, 32, 64, 96, 127, 128, 256):
            yield f"{name} type={kind} box={box},8"
        for stride in (64, 80, 96, 112, 128, 192, 256):
            yield f"{name} type={kind} strides={stride}"
        for at in (16, 32, 48, 64):
            yield f"{name} type={kind} at={at}"


def random_maps(draw, n):
    for _ in range(n):
        rank = draw.randint(1, 5)
        kind = draw.randrange(13)
        interleave = draw.choice([0, 0, 0, 1, 2]) if rank > 2 else 0
        dims = [draw.choice([1, draw.randint(1, 300), draw.randint(1, 1 << 32)]) for _ in range(rank)]
        strides = [32 * draw.choice([draw.randint(1, 300), draw.randint(1, (1 << 35) - 1)]) for _ in range(rank - 1)]
        box = [draw.choice([16, 32, draw.randint(1, 256)]) if i else max(1, int(16 / SIZES[kind]))
               for i in range(rank)]
        steps = [draw.randint(1, 8) for _ in range(rank)]
        yield (f"t1 type={kind} rank={rank} at={draw.randrange(0, 1 << 56, 32):#x} dims={','.join(map(str, dims))} "
               f"strides={','.join(map(str, strides))} box={','.join(map(str, box))} "
               f"steps={','.join(map(str, steps))} interleave={interleave} "
               f"swizzle={1 if interleave == 2 else draw.randrange(7)} promote={draw.randrange(4)}")


def corners(base):
    count = len(values_of(base, "lower"))
    edges = [-32769, -32768, -129, -128, -17, -16, -1, 0, 1, 15, 16, 127, 128, 32767, 32768]
    for key in ("lower", "upper"):
        for i in range(count):
            for edge in edges:
                changed = ["0"] * count
                changed[i] = str(edge)
                yield f"{name_of(base)} {key}={','.join(changed)}"
    for lower in (0, 5, 16, 31, 32, 33):
        for upper in (0, -5, -16, -31, -32, -33):
            yield f"{name_of(base)} lower={','.join([str(min(lower, 15 if count == 3 else 127))] * count)} upper={','.join([str(max(upper, -16 if count == 3 else -128))] * count)}"


def maps():
    yield from TILED + IM2COL + WIDE
    small = [0, 1, 2, 3, 7, 8, 9, 16, 255, 256, 257, 0xffffffff]
    for base in TILED:
        yield from scalars(base)
        yield from arrays(base, [("dims", EDGES), ("strides", EDGES), ("box", small), ("steps", small)])
    for base in IM2COL + WIDE:
        yield from scalars(base)
        yield from corners(base)
        yield from arrays(base, [("dims", [0, 1, 2, 8, 256, 0x80000000, 0x100000000, 0x100000001]),
                                 ("strides", [0, 8, 16, 32, 48, 0xfffffffff0, 0x10000000000]), ("steps", small),
                                 ("channels", small + [32, 33, 64, 96, 128, 1024]),
                                 ("pixels", small + [512, 1023, 1024, 1025])])
    for base in WIDE:
        for mode in (0, 1, 2, 3):
            for swizzle in range(7):
                yield f"{name_of(base)} mode={mode} swizzle={swizzle}"
    yield from pairs([TILED[1], IM2COL[1]])
    yield from packed(TILED[7])
    for name, rest in (("t3", ""), ("t4", ",1"), ("t4", ",1 type=7 at=0")):
        for box in ("16,64,{}", "64,64,{}", "32,200,{}"):
            for last in (8, 14, 28, 35, 36, 37, 55, 56, 57, 58, 64, 113, 114, 256):
                yield f"{name} box={box.format(last)}{rest}"
    for channels in (64, 128, 256):
        for pixels in (200, 227, 228, 256, 454, 456, 512, 900, 908, 912, 1000, 1024):
            yield f"c4 swizzle=0 type=2 channels={channels} pixels={pixels}"
    yield from random_maps(random.Random(1), 300)


def edits():
    yield from TILED + IM2COL[:1]
    for name in ("t2", "t5", "i5", "c3"):
        at = "at=0x1000"
        fields = [("rank", [0, 1, 2, 3, 4, 7, 8, 255])]
        fields += [(f"box_dim.{i}", [0, 1, 8, 255, 256, 257, 0x12345678]) for i in range(5)]
        fields += [(f"global_dim.{i}", [0, 1, 77, 0x80000000, 0xffffffff]) for i in range(5)]
        fields += [(f"global_stride.{i}", [0, 8, 16, 160, 0xfffffffff0, 0x123456789abcdef0]) for i in range(4)]
        fields += [(f"element_stride.{i}", [0, 1, 3, 7, 8, 9, 255]) for i in range(5)]
        fields += [("elemtype", range(13)), ("interleave_layout", range(3)), ("swizzle_mode", range(4)),
                   ("fill_mode", range(2)), ("global_address", [0, 8, 0x7f0000000010, 0x123456789abcdef8])]
        for field, values in fields:
            for value in values:
                yield f"{name} {at} edit={field}:{value}"
    for field in ("rank:2", "box_dim.1:9", "global_stride.1:4096", "elemtype:3", "global_address:4096"):
        yield f"t5 edit={field} place=shared bytes=256"


# --- copies ---

def fit(draw, kind, rank, interleave=0):
    """A tensor that lies in the memory: dims, strides and where it begins."""
    size, unit = SIZES[kind], 32 if interleave == 2 else 16
    while True:
        dims = [draw.randint(1, 40)] + [draw.randint(1, 12) for _ in range(rank - 1)]
        if interleave: # the inner dimension counts slices' channels
            dims[0] = draw.randint(1, 4) * int(unit / size) + draw.choice([0, 0, 1])
        strides, row = [], dims[0] * size
        for i in range(1, rank):
            row = (int(row) + unit - 1) // unit * unit + unit * draw.choice([0, 0, 1, 3])
            strides.append(row)
            row *= dims[i]
        at = unit * draw.randint(0, 20)
        if row + at < MEMORY:
            return dims, strides, at


def inner_box(draw, kind, swizzle):
    limit = [64, 32, 64, 128, 128, 128, 128][swizzle]
    units = draw.randint(1, limit // 16)
    return max(1, int(16 * units / SIZES[kind]))


def coordinate(draw, dim, box):
    return draw.choice([0, draw.randint(-box - 2, dim + 2), draw.randint(0, dim), -1, dim - 1])


def inner_coordinate(draw, kind, dim, box):
    """What is not at 16 bytes is a fault."""
    unit = max(1, int(16 / SIZES[kind]))
    return draw.choice([0, 0, unit * draw.randint(-(box // unit) - 1, dim // unit + 1), -unit,
                        dim // unit * unit])


def near_of(draw, swizzle):
    return draw.choice([0, 0, 1024, 128, 256, 384, 512, 896] if swizzle else [0, 128, 256, 1024])


def words(**keys):
    return " ".join(f"{key}={','.join(map(str, value)) if isinstance(value, list) else value}"
                    for key, value in keys.items())


def tile(draw, rank=None, kind=None, swizzle=None, steps=None, interleave=0):
    rank = rank or draw.randint(1, 5)
    kind = draw.randrange(13) if kind is None else kind
    swizzle = draw.choice([0, 0, 1, 2, 3]) if swizzle is None else swizzle
    dims, strides, at = fit(draw, kind, rank, interleave)
    while True:
        box = [inner_box(draw, kind, swizzle)] + [draw.randint(1, 9) for _ in range(rank - 1)]
        steps_now = [1] * rank
        if steps:
            steps_now = [draw.randint(1, 4) for _ in range(rank)]
        count = 1
        for i in range(1, rank):
            count *= -(-box[i] // steps_now[i])
        if box[0] <= 256 and count * box[0] * SIZES[kind] <= 12288:
            break
    c = [inner_coordinate(draw, kind, dims[0], box[0])]
    c += [coordinate(draw, d, b) for d, b in zip(dims[1:], box[1:])]
    return dict(type=kind, rank=rank, at=at, dims=dims, strides=strides, box=box, steps=steps_now,
                swizzle=swizzle, c=c, near=near_of(draw, swizzle), bytes=16384)


def tiles():
    draw = random.Random(2)
    yield "t = tiled do=load form=tile"
    for kind in range(13):
        for fill in (0, 1) if kind in FLOATS else (0,):
            for data in (0, 4):
                for _ in range(3 + 2 * fill):
                    yield "t " + words(**tile(draw, kind=kind), fill=fill, data=data)
    for rank in range(1, 6):
        for _ in range(60):
            yield "t " + words(**tile(draw, rank=rank))
    for swizzle in range(7):
        for _ in range(40):
            yield "t " + words(**tile(draw, swizzle=swizzle))
    for _ in range(200):
        yield "t " + words(**tile(draw, steps=True))
    for _ in range(200):
        yield "t " + words(**interleaved(draw))
    for _ in range(30):
        yield "t to=cta " + words(**tile(draw))
    for _ in range(30):
        blocks = draw.randint(1, 4)
        yield "t " + words(**tile(draw), blocks=blocks, mask=draw.randint(1, (1 << blocks) - 1))
    for place in ("param", "global", "const"):
        for _ in range(5):
            yield f"t place={place} " + words(**tile(draw))
    for box in (1, 3, 5, 7):
        yield f"t type=6 rank=2 dims=64,64 strides=128 box=8,{box} steps=1,1 c=0,0 bytes=2048 data=0 expect=1008"


def interleaved(draw):
    """The first dimension counts slices; it and no type says what is at 16 bytes."""
    rank, kind = draw.randint(3, 5), draw.randrange(13)
    interleave = draw.choice([1, 2])
    dims, strides, at = fit(draw, kind, rank, interleave)
    swizzle = 1 if interleave == 2 else draw.choice([0, 0, 1, 2, 3])
    channels = int((32 if interleave == 2 else 16) / SIZES[kind])
    box = [draw.choice([channels, channels, draw.randint(1, 2 * channels)])]
    box += [draw.randint(1, 6 if rank < 5 else 4) for _ in range(rank - 1)]
    c = [channels * draw.choice([0, 0, 0, 1, -1, draw.randint(0, 4)])]
    c += [coordinate(draw, d, b) for d, b in zip(dims[1:], box[1:])]
    steps = [1] * rank if draw.randrange(3) else [draw.randint(1, 3) for _ in range(rank)]
    return dict(type=kind, rank=rank, at=at, dims=dims, strides=strides, box=box, steps=steps, swizzle=swizzle,
                interleave=interleave, c=c, near=near_of(draw, swizzle), bytes=16384,
                fill=draw.choice([0, 0, 1]) if kind in FLOATS else 0)


def column(draw, rank=None, plain=False, **more):
    rank = rank or draw.randint(3, 5)
    kind = draw.choice([0, 1, 2, 6, 7, 9]) if draw.randrange(4) else draw.randrange(13)
    swizzle = draw.choice([0, 0, 1, 2, 3])
    interleave = 0 if plain else draw.choice([0, 0, 0, 1, 2])
    dims, strides, at = fit(draw, kind, rank, interleave)
    spatial, first = rank - 2, 0 if interleave else 1
    lower, upper = [], []
    for i in range(spatial): # dims[first + i]: the fastest of W, H, D first
        low = draw.randint(-3, 2)
        high = draw.randint(-3, 2)
        if dims[first + i] + high - low < 1:
            low = high = 0
        lower.append(low)
        upper.append(high)
    channels = inner_box(draw, kind, swizzle)
    if interleave:
        channels = int((32 if interleave == 2 else 16) / SIZES[kind])
        swizzle = 1 if interleave == 2 else swizzle
    pixels = draw.randint(1, 70)
    steps = [1] * rank
    if not plain and draw.randrange(3) == 0:
        steps = [draw.randint(1, 3) for _ in range(rank)]
    c = []
    for i in range(spatial): # outside of the box of pixels is a fault
        low, high = lower[i], dims[first + i] - 1 + upper[i]
        c.append(draw.choice([low, high, draw.randint(low, high)]))
    if interleave:
        c.append(draw.choice([0, 0, 1, -1, dims[-2] - 1]))
    else:
        c.insert(0, inner_coordinate(draw, kind, dims[0], channels))
    c.append(draw.choice([0, 0, draw.randint(0, dims[-1] - 1), dims[-1], -1]))
    o = [draw.choice([0, 0, 1, 2, draw.randint(0, 5)]) for _ in range(spatial)]
    return dict(type=kind, rank=rank, at=at, dims=dims, strides=strides, lower=lower, upper=upper,
                channels=channels, pixels=pixels, steps=steps, swizzle=swizzle, interleave=interleave, c=c, o=o,
                near=near_of(draw, swizzle), bytes=16384, **more)


def im2col():
    draw = random.Random(3)
    yield "c = im2col do=load form=im2col"
    for rank in (3, 4, 5):
        for _ in range(120):
            yield "c " + words(**column(draw, rank=rank, plain=True))
    for _ in range(300):
        yield "c " + words(**column(draw))
    for _ in range(40):
        question = column(draw)
        question["fill"] = 1 if question["type"] in FLOATS else 0
        yield "c " + words(**question)
    for _ in range(20):
        yield "c to=cta " + words(**column(draw))
    for _ in range(20):
        yield "c " + words(**column(draw), blocks=2, mask=draw.randint(1, 3))


INTEGERS = (2, 3, 4, 5)
REDUCTIONS = {"add": (2, 3, 4, 6, 7, 8, 9, 10), "min": (*INTEGERS, 6, 9), "max": (*INTEGERS, 6, 9), "inc": (2,),
              "dec": (2,), "and": INTEGERS, "or": INTEGERS, "xor": INTEGERS}


def stored(question):
    """What begins before the tensor is a fault."""
    return {**question, "c": [max(c, 0) for c in question["c"]]}


def stores():
    draw = random.Random(4)
    yield "t = tiled do=store form=tile"
    yield "c = im2col do=store form=im2col_no_offs"
    for rank in range(1, 6):
        for _ in range(25):
            yield "t " + words(**stored(tile(draw, rank=rank)))
    for kind in range(13):
        for _ in range(4):
            yield "t data=4 " + words(**stored(tile(draw, kind=kind)))
    for swizzle in range(4):
        for _ in range(15):
            yield "t " + words(**stored(tile(draw, swizzle=swizzle)))
    for _ in range(60):
        yield "t " + words(**stored(tile(draw, steps=True)))
    for _ in range(60):
        yield "t " + words(**stored(interleaved(draw)))
    for reduction, kinds in REDUCTIONS.items():
        for kind in kinds:
            for data in (0, 1, 2, 3, 4):
                for _ in range(2):
                    yield f"t do={reduction} data={data} " + words(**stored(tile(draw, kind=kind)))
    for _ in range(10):
        yield "t do=prefetch " + words(**tile(draw))
    for _ in range(10):
        yield "c do=prefetch form=im2col " + words(**column(draw))


def faults():
    yield ("t = tiled do=load form=tile type=6 rank=2 dims=64,32 strides=128 box=16,8 steps=1,1 c=0,0 "
           "bytes=4096")
    yield ("c = im2col do=load form=im2col type=6 rank=4 dims=32,8,8,8 strides=64,512,4096 lower=-1,-1 "
           "upper=1,1 channels=16 pixels=8 steps=1,1,1,1 c=0,0,0,0 bytes=4096")
    yield "r = raw do=load form=tile rank=2 c=0,0 bytes=4096 expect=256"
    for what in ("load", "store", "add", "prefetch"):
        for more in ("", "near=8", "near=16", "near=64", "near=4000", "near=8192", "place=global", "place=const",
                     "place=shared", "place=freed", "shift=16", "shift=32", "shift=64", "shift=32 place=global",
                     "n=1", "n=3", "form=im2col n=3", "at=0x1000000000", "c=1,0", "c=4,0", "c=-1,0", "c=8,0",
                     "c=1,0 type=0", "c=0x7fffffff,0", "c=0x80000000,0", "c=0,0x80000000",
                     "dims=64,4294967296 c=0,2000000000"):
            if more.startswith("form=") and what in ("store", "add"):
                more = "form=im2col_no_offs n=3"
            yield f"t do={what} {more}".strip()
        yield f"r do={what}"
        yield f"r do={what} raw={','.join(['-1'] * 32)}"
        yield f"r do={what} raw={','.join(['90'] * 32)} place=global"
    for what, form in (("load", "im2col"), ("store", "im2col_no_offs"), ("prefetch", "im2col")):
        for more in ("", "form=tile", "n=3", "c=1,0,0,0", "c=0,-2,0,0", "c=0,9,0,0", "c=0,0,-2,0", "c=0,0,9,0",
                     "c=0,0,0,-5", "c=0,0,0,9", "o=255,0", "o=256,0", "o=0,65535", "near=16"):
            yield f"c do={what} {more if more == 'form=tile' else f'form={form} {more}'}".strip()
    for expect in (255, 512):
        yield f"t expect={expect}"
    for reduction, kinds in REDUCTIONS.items():
        for kind in range(13):
            if kind not in kinds:
                yield f"t do={reduction} type={kind} dims=32,32"
    for what in ("load", "store"):
        for more in ("dims=64,2147483647", "dims=64,2147483648", "dims=64,2147483649", "dims=64,4294967295",
                     "dims=64,4294967296", "dims=2147483648,8", "dims=4294967296,8"):
            yield f"t do={what} {more}"
    for more in ("lower=0,0 upper=0,0", "lower=0,0 upper=0,0 pixels=64", "lower=0,0 upper=0,0 c=0,1,0,0",
                 "lower=0,0 upper=0,0 interleave=1 channels=8"):
        yield f"c do=store form=im2col_no_offs {more}"
        yield f"c do=add form=im2col_no_offs {more}"
    for more in ("o=8,0", "o=0,9", "o=128,0", "o=127,0"):
        yield f"c {more}"
    yield ("c rank=3 dims=32,8,8 strides=64,512 lower=-1 upper=1 steps=1,1,1 c=0,0,0 o=32768")
    for o in ("15,0,0", "16,0,0", "31,0,0", "32,0,0", "33,1,0", "0,0,33"):
        yield (f"c rank=5 dims=32,8,8,8,2 strides=64,512,4096,32768 lower=-1,-1,-1 upper=1,1,1 steps=1,1,1,1,1 "
               f"c=0,0,0,0,0 o={o}")
    for more in ("blocks=2 mask=4", "blocks=2 mask=5", "blocks=2 mask=0x8001", "mask=2", "mask=1", "blocks=2 mask=3"):
        yield f"t {more}"


if __name__ == "__main__":
    makers = {"maps": maps, "edits": edits, "tiles": tiles, "im2col": im2col, "stores": stores, "faults": faults}
    if len(sys.argv) != 2 or sys.argv[1] not in makers:
        sys.exit(__doc__)
    for question in makers[sys.argv[1]]():
        print(question)
