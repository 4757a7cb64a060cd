// What training needs beside convolutions. Boards lie as rows × channels, a row for each cell of each board.
//
// A norm is x̂ = (x − mean) · slope with slope = 1 / √(variance + ε), over all rows, for each channel; y = ReLU(scale · x̂ + bias + skip).

// Filters from outputs × inputs × taps to outputs × taps × inputs, from output `first` on; there are `room` inputs there.
extern "C" __global__ void arrange(const float *from, float *to, int outputs, int inputs, int taps, int room, int first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outputs * inputs * taps) return;
    int tap = i % taps, input = i / taps % inputs, output = i / taps / inputs;
    to[((first + output) * taps + tap) * room + input] = from[i];
}

// The way back.
extern "C" __global__ void arrange_back(const float *from, float *to, int outputs, int inputs, int taps, int room, int first) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= outputs * inputs * taps) return;
    int tap = i % taps, input = i / taps % inputs, output = i / taps / inputs;
    to[i] = from[((first + output) * taps + tap) * room + input];
}

// Adds two sums of each channel: blocks of 32 channels × 8 rows.
__device__ void add_sums(float first, float second, int channel, int channels, double *sums) {
    __shared__ float shared[2][8][32];
    shared[0][threadIdx.y][threadIdx.x] = first;
    shared[1][threadIdx.y][threadIdx.x] = second;
    __syncthreads();
    if (threadIdx.y == 0 && channel < channels) {
        double totals[2] = {0.0, 0.0};
        for (int row = 0; row < 8; row++)
            for (int sum = 0; sum < 2; sum++) totals[sum] += shared[sum][row][threadIdx.x];
        atomicAdd(&sums[2 * channel], totals[0]);
        atomicAdd(&sums[2 * channel + 1], totals[1]);
    }
}

// Σ x and Σ x² of each channel.
extern "C" __global__ void measure(const float *raw, int rows, int channels, double *sums) {
    int channel = blockIdx.x * 32 + threadIdx.x;
    float sum = 0, squares = 0;
    if (channel < channels)
        for (int row = blockIdx.y * 8 + threadIdx.y; row < rows; row += gridDim.y * 8) {
            float x = raw[(size_t)row * channels + channel];
            sum += x;
            squares += x * x;
        }
    add_sums(sum, squares, channel, channels, sums);
}

// Mean and slope of each channel.
extern "C" __global__ void moments(const double *sums, int rows, int channels, float epsilon, float *moments) {
    int channel = blockIdx.x * blockDim.x + threadIdx.x;
    if (channel >= channels) return;
    double mean = sums[2 * channel] / rows, variance = sums[2 * channel + 1] / rows - mean * mean;
    moments[2 * channel] = mean;
    moments[2 * channel + 1] = 1.0 / sqrt((variance > 0 ? variance : 0) + epsilon);
}

// y; `affine` has scale and bias of each channel.
extern "C" __global__ void normalise(const float *raw, const float *moments, const float *affine, const float *skip, int skips,
                                     int rows, int channels, float *output) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)rows * channels) return;
    int channel = i % channels;
    float y = affine[2 * channel] * (raw[i] - moments[2 * channel]) * moments[2 * channel + 1] + affine[2 * channel + 1];
    if (skips) y += skip[i];
    output[i] = y > 0 ? y : 0;
}

// Errors of y become those before the ReLU; their sums are the bias's gradient and, times x̂, the scale's.
extern "C" __global__ void gate(float *errors, const float *output, const float *raw, const float *moments, int rows, int channels,
                                double *sums) {
    int channel = blockIdx.x * 32 + threadIdx.x;
    float sum = 0, products = 0;
    if (channel < channels)
        for (int row = blockIdx.y * 8 + threadIdx.y; row < rows; row += gridDim.y * 8) {
            size_t i = (size_t)row * channels + channel;
            float error = output[i] > 0 ? errors[i] : 0;
            errors[i] = error;
            sum += error;
            products += error * (raw[i] - moments[2 * channel]) * moments[2 * channel + 1];
        }
    add_sums(sum, products, channel, channels, sums);
}

// dx = scale · slope · (dy − mean(dy) − x̂ · mean(dy · x̂))
extern "C" __global__ void carry_back(const float *errors, const float *raw, const float *moments, const double *sums,
                                      const float *affine, int rows, int channels, float *back) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= (size_t)rows * channels) return;
    int channel = i % channels;
    float slope = moments[2 * channel + 1], x = (raw[i] - moments[2 * channel]) * slope;
    float constant = sums[2 * channel] / rows, against = sums[2 * channel + 1] / rows;
    back[i] = affine[2 * channel] * slope * (errors[i] - constant - x * against);
}
