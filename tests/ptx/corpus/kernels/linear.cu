// SPDX-License-Identifier: MIT
// build: compute_75 compute_100
// A Fourier transform, and factorings of small matrices.

// Radix two, in place; the roots of one come with the data.
extern "C" __global__ void linear_fourier(const float *a, const float *roots, float *out)
{
    __shared__ float re[256], im[256];
    const int t = threadIdx.x;

    for (int i = t; i < 256; i += 128) {
        const int from = __brev(i) >> 24;

        re[i] = a[2 * from];
        im[i] = a[2 * from + 1];
    }
    for (int half = 1; half < 256; half *= 2) {
        __syncthreads();
        const int low = t / half * 2 * half + t % half, high = low + half;
        const int turn = t % half * (128 / half);
        const float c = roots[2 * turn], s = roots[2 * turn + 1];
        const float x = re[high] * c - im[high] * s, y = re[high] * s + im[high] * c;

        re[high] = re[low] - x;
        im[high] = im[low] - y;
        re[low] += x;
        im[low] += y;
    }
    __syncthreads();
    for (int i = t; i < 256; i += 128) {
        out[2 * i] = re[i];
        out[2 * i + 1] = im[i];
    }
}

// L of A = M M' + n I, by columns; a block a matrix.
extern "C" __global__ void linear_cholesky(const double *m, double *out, int n)
{
    __shared__ double a[24][24];
    const int i = threadIdx.x;

    m += blockIdx.x * n * n;
    out += blockIdx.x * n * n;
    for (int j = 0; j < n; j++) {
        double sum = i == j ? n : 0;

        for (int k = 0; k < n; k++)
            sum += m[i * n + k] * m[j * n + k];
        a[i][j] = sum;
    }
    for (int j = 0; j < n; j++) {
        __syncthreads();
        if (i == j) {
            double sum = a[j][j];

            for (int k = 0; k < j; k++)
                sum -= a[j][k] * a[j][k];
            a[j][j] = sqrt(sum);
        }
        __syncthreads();
        if (i > j) {
            double sum = a[i][j];

            for (int k = 0; k < j; k++)
                sum -= a[i][k] * a[j][k];
            a[i][j] = sum / a[j][j];
        }
    }
    __syncthreads();
    for (int j = 0; j < n; j++)
        out[i * n + j] = j <= i ? a[i][j] : 0;
}

// LU with row exchanges; every thread a column.
extern "C" __global__ void linear_lu(const double *m, double *out, int *rows, int n)
{
    __shared__ double a[16][17];
    __shared__ int row[16], pivot;
    const int j = threadIdx.x;

    for (int i = 0; i < n; i++)
        a[i][j] = m[i * n + j];
    row[j] = j;
    for (int k = 0; k < n; k++) {
        __syncthreads();
        if (j == 0) {
            pivot = k;
            for (int i = k + 1; i < n; i++)
                if (fabs(a[i][k]) > fabs(a[pivot][k]))
                    pivot = i;
            const int kept = row[k];
            row[k] = row[pivot];
            row[pivot] = kept;
        }
        __syncthreads();
        const double kept = a[k][j];
        a[k][j] = a[pivot][j];
        a[pivot][j] = kept;
        __syncthreads();
        if (j > k)
            a[j][k] /= a[k][k];
        __syncthreads();
        if (j > k)
            for (int i = k + 1; i < n; i++)
                a[i][j] -= a[i][k] * a[k][j];
    }
    __syncthreads();
    for (int i = 0; i < n; i++)
        out[i * n + j] = a[i][j];
    rows[j] = row[j];
}

// The determinant of a 5 by 5 matrix, by minors: recursion with arrays.
__device__ __noinline__ long long minor_of(const int *m, unsigned columns, int row)
{
    long long sum = 0;
    int sign = 1;

    if (row == 5)
        return 1;
    for (int c = 0; c < 5; c++) {
        if (columns >> c & 1)
            continue;
        sum += sign * m[row * 5 + c] * minor_of(m, columns | 1u << c, row + 1);
        sign = -sign;
    }
    return sum;
}

extern "C" __global__ void linear_determinant(const int *m, long long *out)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;

    out[i] = minor_of(m + 25 * i, 0, 0);
}
