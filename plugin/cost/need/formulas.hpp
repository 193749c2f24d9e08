// The formulas that the table names, by the file that defines them.
#pragma once

#include "plugin/cost/need/table.hpp"

namespace opscope::need {

// elementwise.cpp
extern const formula nothing;
extern const formula unknown_kind;
extern const formula activation;
extern const formula binary;
extern const formula compare;
extern const formula where;
extern const formula cast;
extern const formula elementwise_region;
extern const formula batch_elementwise_region;
extern const formula transform_region;
extern const formula fma;
extern const formula clamp;
extern const formula gated_residual;
extern const formula gated_residual_backward;
extern const formula spline;
extern const formula spline_backward_x;
extern const formula spline_backward_coeff;
extern const formula quantize;
extern const formula dequantize;
extern const formula fake_quantize;
extern const formula fake_quantize_lsq;
extern const formula fake_quantize_lsq_backward_x;
extern const formula fake_quantize_lsq_backward_scale;
extern const formula fake_quantize_backward;
extern const formula complex_norm;
extern const formula complex_norm_backward;
extern const formula conjugate;
extern const formula relu_backward;
extern const formula activation_backward;
extern const formula random_normal;
extern const formula random_uniform;

// matmul.cpp
extern const formula matmul;
extern const formula dot_general;
extern const formula lora_matmul;
extern const formula grouped_matmul;
extern const formula dequant_matmul;
extern const formula dequant_grouped_matmul;
extern const formula dequant_grouped_matmul_mlx;
extern const formula dequant_moe_weights;
extern const formula q_matmul;
extern const formula fused_matmul_bias_act;
extern const formula fused_matmul_residual;
extern const formula scaled_matmul;
extern const formula scaled_grouped_matmul;
extern const formula scaled_quant_scale;
extern const formula scaled_quantize;
extern const formula scaled_dequantize;
extern const formula synth_matmul;
extern const formula synth_matmul_backward;
extern const formula synth_reconstruct;

// norm.cpp
extern const formula norm_with_scale_and_shift;
extern const formula batch_norm;
extern const formula ada_layer_norm;
extern const formula ada_layer_norm_backward;
extern const formula layer_norm_backward_input;
extern const formula norm_backward_gamma;
extern const formula rms_norm_backward_input;
extern const formula rms_norm_backward_gamma;
extern const formula rms_norm_backward_beta;
extern const formula group_norm_backward_input;
extern const formula group_norm_backward_beta;
extern const formula batch_norm_backward_input;
extern const formula batch_norm_backward_gamma;
extern const formula sum_backward;
extern const formula fused_residual_norm;

// attention.cpp
extern const formula attention;
extern const formula attention_backward;
extern const formula attention_backward_all;
extern const formula rope;
extern const formula axial_rope;

// movement.cpp
extern const formula slice;
extern const formula copy;
extern const formula gather;
extern const formula gather_elements;
extern const formula gather_nd;
extern const formula scatter_add;
extern const formula scatter_elements;
extern const formula scatter_nd;
extern const formula gather_backward;
extern const formula kv_append;
extern const formula trilu;
extern const formula interpolate3d;

// reduce.cpp
extern const formula reduce;
extern const formula running;
extern const formula one_per_input;
extern const formula softmax;
extern const formula sample;
extern const formula histogram;
extern const formula sort;
extern const formula cross_entropy_with_labels;
extern const formula cross_entropy_backward;
extern const formula cross_entropy;
extern const formula log_mel;
extern const formula log_mel_backward;
extern const formula welch_peaks;
extern const formula fft;
extern const formula fft_integer;
extern const formula fft_butterfly;

// conv.cpp
extern const formula conv;
extern const formula q_conv;
extern const formula fused_conv_bias_act;
extern const formula conv_transpose;
extern const formula conv_backward_input;
extern const formula conv_backward_weight;
extern const formula pool;
extern const formula max_pool_backward;
extern const formula im2col;
extern const formula partitioned_conv;

// recurrent.cpp
extern const formula selective_scan;
extern const formula gated_delta_net;
extern const formula gated_delta_net_backward;
extern const formula lstm;
extern const formula gru;
extern const formula rnn;
extern const formula mamba2;

// fused.cpp
extern const formula fused_swiglu;
extern const formula fused_attention_block;
extern const formula fused_transformer_layer;

// control.cpp
extern const formula branch;
extern const formula loop;
extern const formula scan;
extern const formula scan_backward;
extern const formula custom;
extern const formula custom_function;

// splat.cpp
extern const formula splat_render;
extern const formula splat_render_backward;
extern const formula splat_prepare;
extern const formula splat_rasterize;

// linalg.cpp
extern const formula dense_solve;
extern const formula batched_dense_solve;
extern const formula cholesky;
extern const formula triangular_solve;
extern const formula determinant;
extern const formula log_determinant;
extern const formula qr;
extern const formula svd;
extern const formula eigh;
extern const formula eigh_backward;

// spd.cpp
extern const formula bi_map;
extern const formula spectral_map;
extern const formula spectral_map_backward;
extern const formula spd_batch_norm;
extern const formula spd_batch_norm_backward_g;
extern const formula spd_mean;
extern const formula spd_binary;
extern const formula spd_function;
extern const formula spd_function_backward;

}  // namespace opscope::need
