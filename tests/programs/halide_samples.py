# SPDX-License-Identifier: MIT
"""Pipelines of Halide, which makes PTX itself, on a CUDA device; each is compared with NumPy."""
import unittest

import halide as hl
import numpy as np

TARGET = hl.Target("x86-64-linux-avx-avx2-f16c-fma-sse41-cuda-cuda_capability_80")
RANDOM = np.random.default_rng(7)


class Samples(unittest.TestCase):
    def setUp(self):
        self.x, self.y, self.xo, self.yo, self.xi, self.yi = (hl.Var(name) for name in
                                                              ["x", "y", "xo", "yo", "xi", "yi"])

    def tiles(self, function):
        function.gpu_tile(self.x, self.y, self.xo, self.yo, self.xi, self.yi, 8, 8)
        return function

    def run_it(self, function, shape):
        result = function.realize(list(reversed(shape)), TARGET)
        result.copy_to_host()
        return np.array(result)

    def test_a_table(self):
        f = hl.Func("table")
        f[self.x, self.y] = self.x + 10 * self.y
        answer = self.run_it(self.tiles(f), (16, 32))
        np.testing.assert_array_equal(answer, np.arange(32)[None, :] + 10 * np.arange(16)[:, None])

    def test_a_blur_of_two_stages(self):
        values = RANDOM.random((40, 48)).astype(np.float32)
        source, f, g = hl.Buffer(np.ascontiguousarray(values)), hl.Func("rows"), hl.Func("blur")
        x, y = self.x, self.y
        f[x, y] = (source[x, y] + source[x + 1, y] + source[x + 2, y]) / 3
        g[x, y] = (f[x, y] + f[x, y + 1] + f[x, y + 2]) / 3
        self.tiles(g)
        f.compute_at(g, self.xo).gpu_threads(x, y)
        rows = (values[:, :-2] + values[:, 1:-1] + values[:, 2:]) / 3
        wanted = (rows[:-2] + rows[1:-1] + rows[2:]) / 3
        np.testing.assert_allclose(self.run_it(g, (32, 40)), wanted[:32, :40], rtol=1e-5)

    def test_a_sum(self):
        values = RANDOM.integers(0, 100, (32, 64)).astype(np.int32)
        source, f = hl.Buffer(np.ascontiguousarray(values)), hl.Func("sum")
        r = hl.RDom([(0, 64)])
        f[self.x] = 0
        f[self.x] += source[r.x, self.x]
        f.update().gpu_tile(self.x, self.xo, self.xi, 16)
        np.testing.assert_array_equal(self.run_it(f, (32,)), values.sum(axis=1))

    def test_functions(self):
        values = RANDOM.uniform(0.1, 3, (16, 16)).astype(np.float32)
        source, f = hl.Buffer(np.ascontiguousarray(values)), hl.Func("functions")
        at = source[self.x, self.y]
        f[self.x, self.y] = hl.sin(at) + hl.exp(at) * hl.sqrt(at) + hl.log(at)
        wanted = np.sin(values) + np.exp(values) * np.sqrt(values) + np.log(values)
        np.testing.assert_allclose(self.run_it(self.tiles(f), (16, 16)), wanted, rtol=1e-4)


if __name__ == "__main__":
    unittest.main()
