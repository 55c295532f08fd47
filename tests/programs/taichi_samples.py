# SPDX-License-Identifier: MIT
"""Kernels of Taichi on its CUDA device. Taichi inspects the source of a kernel, so each stands in this file."""
import unittest

import numpy as np
import taichi as ti

ti.init(arch=ti.cuda, offline_cache=False)
numbers = ti.field(ti.f32, shape=1000)
total = ti.field(ti.i32, shape=())
square = ti.field(ti.i32, shape=(16, 16))


@ti.kernel
def fill():
    for i in numbers:
        numbers[i] = ti.sqrt(ti.cast(i, ti.f32))


@ti.kernel
def add_all(n: ti.i32):
    for i in range(n):
        total[None] += i


@ti.kernel
def mark():
    for i, j in square:
        square[i, j] = i * 100 + j if i >= j else -1


class Samples(unittest.TestCase):
    def test_device(self):
        self.assertEqual(ti.lang.impl.current_cfg().arch, ti.cuda)

    def test_a_field(self):
        fill()
        np.testing.assert_allclose(numbers.to_numpy(), np.sqrt(np.arange(1000)), rtol=1e-6)

    def test_atomics(self):
        total[None] = 0
        add_all(1000)
        self.assertEqual(total[None], 499500)

    def test_two_dimensions_and_a_branch(self):
        mark()
        i, j = np.indices((16, 16))
        np.testing.assert_array_equal(square.to_numpy(), np.where(i >= j, i * 100 + j, -1))


if __name__ == "__main__":
    unittest.main()
