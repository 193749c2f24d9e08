/* The contract between a compiler driver (the host) and its plugins.
 *
 * This is the only file that host/ and plugin/ both include. It is C11, needs only <stddef.h> and
 * <stdint.h>, and names no allocation, no thread and no file: a plugin reads borrowed arrays.
 *
 * Goals: one exported function; read-only by construction; versions checked before anything else is
 * touched; growth by appending. Non-goals: changing a graph, running one, 32-bit or big-endian
 * hosts.
 *
 * Change log
 *   0.1  first version. Major 0 promises nothing between minors; 1.0 will be frozen. */
#ifndef RLX_PLUGIN_H
#define RLX_PLUGIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if UINTPTR_MAX != UINT64_MAX
#error "the rlx plugin contract is defined for 64-bit platforms only"
#endif

/* ---- Version ------------------------------------------------------------------------------- */

/* An ABI number is major << 16 | minor. Another major is refused by both sides, always. A newer or
 * older minor works: structs only grow at their end, and each starts with `struct_size`, the bytes
 * its writer filled in. A reader compares struct_size with the frozen size of the first version
 * that had the member it wants (RLX_*_SIZE_0_1 below), never with today's sizeof. */
#define RLX_PLUGIN_ABI_MAJOR 0u
#define RLX_PLUGIN_ABI_MINOR 1u
#define RLX_PLUGIN_ABI ((RLX_PLUGIN_ABI_MAJOR << 16) | RLX_PLUGIN_ABI_MINOR)

/* The one symbol a plugin exports, an rlx_plugin_query_fn. */
#define RLX_PLUGIN_QUERY_SYMBOL "rlx_plugin_query"

/* ---- Scalars ------------------------------------------------------------------------------- */

/* UTF-8, not NUL-terminated, borrowed. data is NULL where the text is absent (which differs from
 * an empty text: data not NULL, size 0). */
typedef struct rlx_string {
  const char* data;
  size_t size;
} rlx_string;

/* A 64-bit figure that the host does not know (a dynamic offset, no slot). */
#define RLX_UNKNOWN UINT64_MAX

/* Enumerations travel as uint32_t; a reader accepts values it does not know. */
typedef uint32_t rlx_status;
#define RLX_OK 0u
#define RLX_FAILED 1u /* the callee failed and has reported why */

typedef uint32_t rlx_severity;
#define RLX_INFO 0u
#define RLX_WARNING 1u
#define RLX_ERROR 2u

typedef uint32_t rlx_stage;    /* one bit each, so that a mask selects several */
#define RLX_STAGE_SOURCE 0x1u  /* the graph as it entered the compiler */
#define RLX_STAGE_PASS 0x2u    /* after each pass that changed the graph; the record names it */
#define RLX_STAGE_LOWERED 0x4u /* the result: the post-lowering hook */

/* ---- Element types ------------------------------------------------------------------------- */

/* X(number, name, bytes an element). Numbers never change; new ones are appended. */
#define RLX_DTYPES(X) \
  X(1, F32, 4)        \
  X(2, F16, 2)        \
  X(3, BF16, 2)       \
  X(4, F64, 8)        \
  X(5, I8, 1)         \
  X(6, I16, 2)        \
  X(7, I32, 4)        \
  X(8, I64, 8)        \
  X(9, U8, 1)         \
  X(10, U32, 4)       \
  X(11, Bool, 1)      \
  X(12, C64, 8)       \
  X(13, C128, 16)

/* ---- Operation kinds ----------------------------------------------------------------------- */

/* X(number, name, fields): every operation kind, in one table: 1-92 are those of RLX 0.2.2, the
 * rest came later. Adding a kind is adding a line at the end. Numbers never change.
 *
 * `fields` types the attributes, so that every host writes the same ones, as fingerprints depend
 * on them: `name:type`, in declaration order. Types: u unsigned, i signed, f float, b bool, s text,
 * e text where the value is a plain enum name and JSON where it carries data, j JSON, bytes a
 * payload given by its length, g a nested graph; * makes an array. A variant of one unnamed field
 * calls it `value`. A field that a later compiler added names its default after `=`: an attribute
 * at that default means the same as no attribute. An attribute the table does not name is typed by
 * its form: true/false bool, an integer u or (negative) i, another number f, text s, an array of
 * one of these, anything else JSON. Absent optional values (null) are left out. */
#define RLX_KINDS(X)                                                                        \
  X(1, Input, "name:s")                                                                     \
  X(2, Param, "name:s")                                                                     \
  X(3, Constant, "data:bytes")                                                              \
  X(4, Activation, "value:s")                                                               \
  X(5, Binary, "value:s")                                                                   \
  X(6, Compare, "value:s")                                                                  \
  X(7, Where, "")                                                                           \
  X(8, Cast, "to:s")                                                                        \
  X(9, ElementwiseRegion,                                                                   \
    "chain:j num_inputs:u scalar_input_mask:u input_modulus:u* prologue:s=None "            \
    "prologue_input:u=0")                                                                   \
  X(10, Quantize, "axis:u scales:f* zero_points:i*")                                        \
  X(11, Dequantize, "axis:u scales:f* zero_points:i*")                                      \
  X(12, FakeQuantize, "bits:u axis:u ste:s scale_mode:e")                                   \
  X(13, FakeQuantizeLSQ, "bits:u axis:u")                                                   \
  X(14, FakeQuantizeLSQBackwardX, "bits:u axis:u")                                          \
  X(15, FakeQuantizeLSQBackwardScale, "bits:u axis:u")                                      \
  X(16, FakeQuantizeBackward, "bits:u axis:u ste:s")                                        \
  X(17, ComplexNormSq, "")                                                                  \
  X(18, ComplexNormSqBackward, "")                                                          \
  X(19, Conjugate, "")                                                                      \
  X(20, MatMul, "")                                                                         \
  X(21, DotGeneral, "lhs_contracting:u* rhs_contracting:u* lhs_batch:u* rhs_batch:u*")      \
  X(22, DenseSolve, "")                                                                     \
  X(23, BatchedDenseSolve, "")                                                              \
  X(24, LoraMatMul, "scale:f")                                                              \
  X(25, GroupedMatMul, "")                                                                  \
  X(26, DequantMatMul, "scheme:e")                                                          \
  X(27, DequantGroupedMatMul, "scheme:e")                                                   \
  X(28, DequantMoEWeights, "scheme:e")                                                      \
  X(29, QMatMul, "x_zp:i w_zp:i out_zp:i mult:f")                                           \
  X(30, LayerNorm, "axis:i eps:f")                                                          \
  X(31, RmsNorm, "axis:i eps:f")                                                            \
  X(32, LayerNorm2d, "eps:f")                                                               \
  X(33, GroupNorm, "num_groups:u eps:f")                                                    \
  X(34, Attention,                                                                          \
    "num_heads:u head_dim:u mask_kind:e score_scale:f attn_logit_softcap:f v_head_dim:u")   \
  X(35, Rope, "head_dim:u n_rot:u style:s=NeoX")                                            \
  X(36, AxialRope2d, "end_x:u end_y:u head_dim:u num_heads:u theta:f repeat_factor:u")      \
  X(37, Reshape, "new_shape:i*")                                                            \
  X(38, Transpose, "perm:u*")                                                               \
  X(39, Narrow, "axis:u start:u len:u")                                                     \
  X(40, Concat, "axis:u")                                                                   \
  X(41, Expand, "target_shape:i*")                                                          \
  X(42, Gather, "axis:u")                                                                   \
  X(43, ResizeNearest2x, "")                                                                \
  X(44, ScatterAdd, "axis:u=0")                                                             \
  X(45, Reduce, "op:s axes:u* keep_dim:b")                                                  \
  X(46, Softmax, "axis:i")                                                                  \
  X(47, Cumsum, "axis:i exclusive:b")                                                       \
  X(48, TopK, "k:u")                                                                        \
  X(49, Sample, "top_k:u top_p:f temperature:f seed:u")                                     \
  X(50, Conv, "kernel_size:u* stride:u* padding:u* dilation:u* groups:u")                   \
  X(51, ConvTranspose2d,                                                                    \
    "kernel_size:u* stride:u* padding:u* dilation:u* output_padding:u* groups:u")           \
  X(52, QConv2d,                                                                            \
    "kernel_size:u* stride:u* padding:u* dilation:u* groups:u x_zp:i w_zp:i out_zp:i "      \
    "mult:f")                                                                               \
  X(53, Pool, "kind:s kernel_size:u* stride:u* padding:u*")                                 \
  X(54, SelectiveScan, "state_size:u")                                                      \
  X(55, GatedDeltaNet, "state_size:u carry_state:b gate_per_channel:b=false")               \
  X(56, FusedMatMulBiasAct, "activation:s")                                                 \
  X(57, FusedSwiGLU, "cast_to:s gate_first:b")                                              \
  X(58, FusedResidualLN, "has_bias:b eps:f")                                                \
  X(59, FusedResidualRmsNorm, "has_bias:b eps:f")                                           \
  X(60, FusedAttentionBlock, "num_heads:u head_dim:u has_bias:b has_rope:b")                \
  X(61, FusedTransformerLayer,                                                              \
    "num_heads:u head_dim:u intermediate_size:u eps1:f eps2:f activation:s has_bias:b")     \
  X(62, If, "then_branch:g else_branch:g")                                                  \
  X(63, While, "cond:g body:g max_iterations:u")                                            \
  X(64, Scan, "body:g length:u save_trajectory:b num_bcast:u num_xs:u num_checkpoints:u")   \
  X(65, ScanBackward,                                                                       \
    "body_vjp:g length:u save_trajectory:b num_xs:u num_checkpoints:u forward_body:g")      \
  X(66, ScanBackwardXs,                                                                     \
    "body_vjp:g length:u save_trajectory:b num_xs:u xs_idx:u num_checkpoints:u "            \
    "forward_body:g")                                                                       \
  X(67, Custom, "name:s num_inputs:u attrs:bytes")                                          \
  X(68, CustomFn, "fwd_body:g vjp_body:g jvp_body:g num_inputs:u")                          \
  X(69, Fft, "inverse:b norm:s")                                                            \
  X(70, ReluBackward, "")                                                                   \
  X(71, ActivationBackward, "kind:s")                                                       \
  X(72, MaxPool2dBackward, "kernel_size:u* stride:u* padding:u*")                           \
  X(73, Conv2dBackwardInput, "kernel_size:u* stride:u* padding:u* dilation:u* groups:u")    \
  X(74, Conv2dBackwardWeight, "kernel_size:u* stride:u* padding:u* dilation:u* groups:u")   \
  X(75, SoftmaxCrossEntropyWithLogits, "")                                                  \
  X(76, SoftmaxCrossEntropyBackward, "")                                                    \
  X(77, AttentionBackward, "num_heads:u head_dim:u mask_kind:e wrt:s")                      \
  X(78, LayerNormBackwardInput, "axis:i eps:f")                                             \
  X(79, LayerNormBackwardGamma, "axis:i eps:f")                                             \
  X(80, RmsNormBackwardInput, "axis:i eps:f")                                               \
  X(81, RmsNormBackwardGamma, "axis:i eps:f")                                               \
  X(82, RmsNormBackwardBeta, "axis:i eps:f")                                                \
  X(83, RopeBackward, "head_dim:u n_rot:u style:s=NeoX")                                    \
  X(84, GroupNormBackwardInput, "num_groups:u eps:f")                                       \
  X(85, GroupNormBackwardGamma, "num_groups:u eps:f")                                       \
  X(86, GroupNormBackwardBeta, "num_groups:u eps:f")                                        \
  X(87, CumsumBackward, "axis:i exclusive:b")                                               \
  X(88, GatherBackward, "axis:i")                                                           \
  X(89, GaussianSplatRender,                                                                \
    "width:u height:u tile_size:u radius_scale:f alpha_cutoff:f max_splat_steps:u "         \
    "transmittance_threshold:f max_list_entries:u")                                         \
  X(90, GaussianSplatRenderBackward,                                                        \
    "width:u height:u tile_size:u radius_scale:f alpha_cutoff:f max_splat_steps:u "         \
    "transmittance_threshold:f max_list_entries:u loss_grad_clip:f sh_band:u "              \
    "max_anisotropy:f")                                                                     \
  X(91, GaussianSplatPrepare,                                                               \
    "width:u height:u tile_size:u radius_scale:f alpha_cutoff:f max_splat_steps:u "         \
    "transmittance_threshold:f max_list_entries:u")                                         \
  X(92, GaussianSplatRasterize,                                                             \
    "width:u height:u tile_size:u alpha_cutoff:f max_splat_steps:u "                        \
    "transmittance_threshold:f max_list_entries:u")                                         \
  X(93, StopGradient, "")                                                                   \
  X(94, Fma, "")                                                                            \
  X(95, Clamp, "min:f max:f")                                                               \
  X(96, TransformRegion, "steps:j num_inputs:u")                                            \
  X(97, BatchElementwiseRegion,                                                             \
    "chain:j num_batch_inputs:u scalar_input_mask:u input_modulus:u* prologue:s "           \
    "prologue_input:u")                                                                     \
  X(98, SplineActivation, "num_basis:u grid_min:f grid_max:f")                              \
  X(99, SplineActivationBackwardX, "num_basis:u grid_min:f grid_max:f")                     \
  X(100, SplineActivationBackwardCoeff, "num_basis:u grid_min:f grid_max:f")                \
  X(101, AdaLayerNorm, "norm:s eps:f")                                                      \
  X(102, AdaLayerNormBackward, "norm:s eps:f")                                              \
  X(103, GatedResidual, "")                                                                 \
  X(104, GatedResidualBackward, "")                                                         \
  X(105, Slice, "axis:u start:u len:u step:i")                                              \
  X(106, Reverse, "axes:u*")                                                                \
  X(107, Roll, "shifts:i* dims:u*")                                                         \
  X(108, Pad, "pads:j mode:e")                                                              \
  X(109, Tile, "reps:u*")                                                                   \
  X(110, Trilu, "upper:b diagonal:i")                                                       \
  X(111, KvAppend, "axis:u pos:u")                                                          \
  X(112, GatherElements, "axis:i")                                                          \
  X(113, GatherNd, "batch_dims:i")                                                          \
  X(114, ScatterElements, "axis:i reduction:s")                                             \
  X(115, ScatterNd, "reduction:s")                                                          \
  X(116, Interpolate3d, "size:u*")                                                          \
  X(117, Im2Col, "kernel_size:u* stride:u* padding:u* dilation:u*")                         \
  X(118, RngNormal, "mean:f scale:f key:u op_seed:f")                                       \
  X(119, RngUniform, "low:f high:f key:u op_seed:f")                                        \
  X(120, ArgMax, "axis:u keep_dim:b")                                                       \
  X(121, ArgMin, "axis:u keep_dim:b")                                                       \
  X(122, CumProd, "axis:i exclusive:b")                                                     \
  X(123, CumMax, "axis:i exclusive:b")                                                      \
  X(124, Histogram, "bins:u min:f max:f")                                                   \
  X(125, Sort, "axis:u descending:b")                                                       \
  X(126, ArgSort, "axis:u descending:b")                                                    \
  X(127, SoftmaxCrossEntropy, "")                                                           \
  X(128, BatchNormInference, "eps:f")                                                       \
  X(129, BatchNormInferenceBackwardInput, "eps:f")                                          \
  X(130, BatchNormInferenceBackwardGamma, "eps:f")                                          \
  X(131, BatchNormInferenceBackwardBeta, "")                                                \
  X(132, LogMel, "")                                                                        \
  X(133, LogMelBackward, "")                                                                \
  X(134, WelchPeaks, "k:u n_segments:u")                                                    \
  X(135, Conv3d, "stride:u* padding:u* dilation:u* groups:u")                               \
  X(136, ConvTranspose3d, "stride:u* padding:u* dilation:u* output_padding:u* groups:u")    \
  X(137, Conv3dBackwardInput, "kernel_size:u* stride:u* padding:u* dilation:u* groups:u")   \
  X(138, Conv3dBackwardWeight, "kernel_size:u* stride:u* padding:u* dilation:u* groups:u")  \
  X(139, MaxPool3dBackward, "kernel_size:u* stride:u* padding:u*")                          \
  X(140, FusedConvBiasAct,                                                                  \
    "kernel_size:u* stride:u* padding:u* dilation:u* groups:u activation:s has_residual:b") \
  X(141, PartitionedConv, "block:u")                                                        \
  X(142, FusedMatMulResidual, "")                                                           \
  X(143, DequantGroupedMatMulMlx, "scheme:e")                                               \
  X(144, ScaledMatMul, "lhs_format:e rhs_format:e scale_layout:e has_bias:b")               \
  X(145, ScaledGroupedMatMul, "lhs_format:e rhs_format:e scale_layout:e has_bias:b")        \
  X(146, ScaledQuantScale, "format:e scale_layout:e")                                       \
  X(147, ScaledQuantize, "format:e scale_layout:e")                                         \
  X(148, ScaledDequantize, "format:e scale_layout:e")                                       \
  X(149, SynthMatMul, "kind:e")                                                             \
  X(150, SynthMatMulBackward, "kind:e wrt:s")                                               \
  X(151, SynthReconstruct, "kind:e")                                                        \
  X(152, AttentionBackwardAll, "num_heads:u head_dim:u mask_kind:e")                        \
  X(153, GatedDeltaNetBackward, "state_size:u carry_state:b gate_per_channel:b")            \
  X(154, Lstm, "hidden_size:u num_layers:u bidirectional:b carry:b")                        \
  X(155, Gru, "hidden_size:u num_layers:u bidirectional:b carry:b")                         \
  X(156, Rnn, "hidden_size:u num_layers:u bidirectional:b carry:b relu:b")                  \
  X(157, Mamba2, "head_dim:u state_size:u")                                                 \
  X(158, FftQ, "inverse:b norm:s scale:s")                                                  \
  X(159, FftButterflyStage, "stage:u n_fft:u")                                              \
  X(160, Cholesky, "")                                                                      \
  X(161, TriangularSolve, "lower:b transpose:b")                                            \
  X(162, Det, "")                                                                           \
  X(163, LogDet, "")                                                                        \
  X(164, Qr, "part:s")                                                                      \
  X(165, Svd, "part:s")                                                                     \
  X(166, Eigh, "")                                                                          \
  X(167, EighBatch, "")                                                                     \
  X(168, EighBackward, "")                                                                  \
  X(169, EighBatchBackward, "")                                                             \
  X(170, BiMap, "")                                                                         \
  X(171, ReEig, "eps:f")                                                                    \
  X(172, LogEig, "eps:f")                                                                   \
  X(173, ReEigBackward, "eps:f")                                                            \
  X(174, LogEigBackward, "eps:f")                                                           \
  X(175, SpdBatchNorm, "eps:f")                                                             \
  X(176, SpdBatchNormBackwardX, "eps:f")                                                    \
  X(177, SpdBatchNormBackwardG, "eps:f")                                                    \
  X(178, SpdKarcherMean, "iters:u tol:f")                                                   \
  X(179, SpdKarcherMeanWeighted, "iters:u tol:f")                                           \
  X(180, SpdLogMap, "")                                                                     \
  X(181, SpdExpMap, "")                                                                     \
  X(182, SpdParallelTransport, "")                                                          \
  X(183, SpdMatrixFnBatch, "kind:s")                                                        \
  X(184, SpdLogMapBackward, "")                                                             \
  X(185, SpdExpMapBackward, "")                                                             \
  X(186, SpdParallelTransportBackward, "")                                                  \
  X(187, SpdMatrixFnBatchBackward, "kind:s")

/* A kind or dtype outside the tables gets a number from here up, given by the host for the length
 * of one hook call, the same for the same text, also in nested graphs. Its text tells what it is.
 */
#define RLX_FIRST_UNLISTED 0x10000u

enum {
#define RLX_KIND_ENTRY(number, name, fields) RLX_KIND_##name = number,
  RLX_KINDS(RLX_KIND_ENTRY)
#undef RLX_KIND_ENTRY
#define RLX_DTYPE_ENTRY(number, name, bytes) RLX_DTYPE_##name = number,
      RLX_DTYPES(RLX_DTYPE_ENTRY)
#undef RLX_DTYPE_ENTRY
};

/* ---- Attributes ---------------------------------------------------------------------------- */

typedef uint32_t rlx_attribute_type;
#define RLX_ATTRIBUTE_U64 1u
#define RLX_ATTRIBUTE_I64 2u
#define RLX_ATTRIBUTE_F64 3u  /* an f32 of the compiler, widened exactly */
#define RLX_ATTRIBUTE_BOOL 4u /* value.u64 is 0 or 1 */
#define RLX_ATTRIBUTE_TEXT 5u
#define RLX_ATTRIBUTE_BYTES 6u    /* a payload: value.u64 is its length, its content is not lent */
#define RLX_ATTRIBUTE_JSON 7u     /* value.text: compact JSON, object keys sorted by bytes */
#define RLX_ATTRIBUTE_ARRAY 0x10u /* added to a type above (U64, I64, F64, BOOL, TEXT) */

typedef struct rlx_attribute {
  rlx_string name;
  rlx_attribute_type type;
  uint32_t reserved; /* 0 */
  uint64_t count;    /* elements of an array; 1 otherwise */
  union {
    uint64_t u64;
    int64_t i64;
    double f64;
    rlx_string text;
    const uint64_t* u64s; /* U64 and BOOL arrays */
    const int64_t* i64s;
    const double* f64s;
    const rlx_string* texts;
  } value;
} rlx_attribute;

/* ---- The graph view ------------------------------------------------------------------------ */

/* The hot record: all that a cost pass over known kinds reads. Node ids are positions. */
typedef struct rlx_node {
  uint32_t kind;         /* RLX_KIND_*, or >= RLX_FIRST_UNLISTED */
  uint32_t dtype;        /* RLX_DTYPE_*, or >= RLX_FIRST_UNLISTED: its width is unknown */
  uint32_t dims_begin;   /* shape: dims[dims_begin .. dims_begin + rank) */
  uint32_t rank;         /* 0 is a scalar: one element. At most RLX_MAX_RANK */
  uint32_t inputs_begin; /* operands: inputs[inputs_begin .. + input_count), each < own id */
  uint32_t input_count;
  uint32_t view_root;    /* the node whose storage this one lies in; its own id where it has one */
  uint32_t reserved;     /* 0 */
  uint64_t dynamic_dims; /* bit d set: dim d is dynamic and dims[dims_begin + d] is its symbol */
} rlx_node;

#define RLX_MAX_RANK 64u        /* the width of dynamic_dims */
#define RLX_MAX_GRAPH_DEPTH 64u /* graphs nested in graphs */

/* The cold record of the node of the same position. */
typedef struct rlx_node_info {
  rlx_string kind_text;
  rlx_string dtype_text;
  rlx_string name;           /* absent where the node has none (lowering drops names) */
  rlx_string origin_label;   /* absent where unknown */
  rlx_string origin_pass;    /* the pass that made the node; absent where unknown */
  uint64_t origin_hir;       /* HIR node id, or RLX_UNKNOWN */
  uint32_t attributes_begin; /* attributes[attributes_begin .. + attribute_count) */
  uint32_t attribute_count;
  uint32_t nested_begin; /* nested[nested_begin .. + nested_count) */
  uint32_t nested_count;
  uint64_t view_byte_offset; /* from the start of view_root's storage; RLX_UNKNOWN where dynamic */
  uint64_t slot_offset;      /* in the arena; RLX_UNKNOWN without a plan or a slot */
  uint64_t slot_bytes;       /* RLX_UNKNOWN likewise */
} rlx_node_info;

struct rlx_graph_view;

/* A graph that is a field of a node's operation (a loop body, a branch). */
typedef struct rlx_nested_graph {
  rlx_string role; /* the field: body, cond, then_branch, .. */
  const struct rlx_graph_view* graph;
} rlx_nested_graph;

/* One graph, flat. All arrays are const and borrowed for the length of the hook call. An array of
 * structs carries the distance between its elements in bytes (a newer host may have longer ones):
 * step by the stride, not by sizeof. A stride is a multiple of 8. The host has checked that every
 * range and id lies inside its array and that operands come before their node. */
typedef struct rlx_graph_view {
  size_t struct_size;
  rlx_string name;
  const rlx_node* nodes;
  size_t node_count;
  size_t node_stride;
  const rlx_node_info* infos; /* node_count of them */
  size_t info_stride;
  const uint32_t* inputs;
  size_t input_count;
  const uint64_t* dims; /* a static size, or the symbol of a dynamic one (see dynamic_dims) */
  size_t dim_count;
  const uint32_t* outputs; /* node ids; may repeat, may be empty */
  size_t output_count;
  const rlx_attribute* attributes;
  size_t attribute_count;
  size_t attribute_stride;
  const rlx_nested_graph* nested;
  size_t nested_count;
  size_t nested_stride;
  uint64_t arena_bytes; /* of the buffer plan; RLX_UNKNOWN where there is no plan */
} rlx_graph_view;

/* ---- The compile record -------------------------------------------------------------------- */

typedef struct rlx_option {
  rlx_string name;
  rlx_string value;
} rlx_option;

/* What one hook call is about. Borrowed for the length of the call, with all it points to. */
typedef struct rlx_compile_record {
  size_t struct_size;
  rlx_stage stage;
  uint32_t reserved; /* 0 */
  const rlx_graph_view* graph;
  const rlx_graph_view* source;  /* the graph as it entered; NULL where unknown; may be == graph */
  rlx_string source_fingerprint; /* where the host made it and cannot lend `source`; else absent */
  rlx_string pass;               /* stage PASS: its name; else absent */
  rlx_string target;             /* cpu, metal, mlx, wgpu, cuda, rocm, tpu, .. */
  rlx_string compiler_name;
  rlx_string compiler_version;
  rlx_string pipeline;       /* the lowering pipeline's name; "none" where nothing was lowered */
  const rlx_option* options; /* all that shaped the result, sorted by name */
  size_t option_count;
  size_t option_stride;
  uint64_t sequence; /* 0, 1, .. per graph name and process; the same for all stages of a compile */
} rlx_compile_record;

/* ---- What the host lends a plugin ---------------------------------------------------------- */

/* A hook. Called on the thread that compiles; the host serialises the calls into one plugin. It
 * must not throw and must not call register_hook or the host's C face. Anything but RLX_OK: the
 * host warns once, calls this plugin no more, and the compile goes on unchanged. */
typedef rlx_status (*rlx_hook_fn)(void* self, const rlx_compile_record* record);

/* The services, valid from create() to the end of destroy(). */
typedef struct rlx_host_services {
  size_t struct_size;
  uint32_t abi; /* the host's RLX_PLUGIN_ABI */
  uint32_t reserved;
  void* context; /* handed back as the first argument below */
  /* Only inside create(). stages: a mask of RLX_STAGE_*. One hook a plugin; a second call fails. */
  rlx_status (*register_hook)(void* context, uint32_t stages, rlx_hook_fn hook);
  /* From create() and from hooks. Text of any length, copied before it returns; the host prints
   * each line under the plugin's name and escapes control characters. */
  void (*report)(void* context, rlx_severity severity, rlx_string text);
} rlx_host_services;

/* ---- What a plugin is ---------------------------------------------------------------------- */

/* Constant, static, never freed. name: [a-z0-9_-], unique among the loaded plugins. */
typedef struct rlx_plugin {
  size_t struct_size;
  uint32_t abi; /* the RLX_PLUGIN_ABI it was built with */
  uint32_t reserved;
  rlx_string name;
  rlx_string version;
  /* Called once a session of the host (a driver has one), before any of its compiles. On RLX_OK
   * *self is handed to every hook and to destroy(). Must not throw. Whatever it allocates it frees
   * itself in destroy(). */
  rlx_status (*create)(const rlx_host_services* host, void** self);
  /* Called once, after the last hook; not called if create failed. */
  void (*destroy)(void* self);
} rlx_plugin;

/* rlx_plugin_query: returns the plugin's table, or NULL to refuse a host of this ABI. No other
 * code of the plugin runs before it. */
typedef const rlx_plugin* (*rlx_plugin_query_fn)(uint32_t host_abi);

/* ---- Frozen layout ------------------------------------------------------------------------- */

#define RLX_GRAPH_VIEW_SIZE_0_1 168u
#define RLX_COMPILE_RECORD_SIZE_0_1 160u
#define RLX_HOST_SERVICES_SIZE_0_1 40u
#define RLX_PLUGIN_SIZE_0_1 64u

#ifdef __cplusplus
#define RLX_LAYOUT(claim) static_assert(claim, "the frozen layout of the plugin contract")
#else
#define RLX_LAYOUT(claim) _Static_assert(claim, "the frozen layout of the plugin contract")
#endif
RLX_LAYOUT(offsetof(rlx_string, data) == 0);
RLX_LAYOUT(offsetof(rlx_string, size) == 8);
RLX_LAYOUT(sizeof(rlx_string) == 16);
RLX_LAYOUT(offsetof(rlx_attribute, name) == 0);
RLX_LAYOUT(offsetof(rlx_attribute, type) == 16);
RLX_LAYOUT(offsetof(rlx_attribute, reserved) == 20);
RLX_LAYOUT(offsetof(rlx_attribute, count) == 24);
RLX_LAYOUT(offsetof(rlx_attribute, value) == 32);
RLX_LAYOUT(sizeof(rlx_attribute) == 48);
RLX_LAYOUT(offsetof(rlx_node, kind) == 0);
RLX_LAYOUT(offsetof(rlx_node, dtype) == 4);
RLX_LAYOUT(offsetof(rlx_node, dims_begin) == 8);
RLX_LAYOUT(offsetof(rlx_node, rank) == 12);
RLX_LAYOUT(offsetof(rlx_node, inputs_begin) == 16);
RLX_LAYOUT(offsetof(rlx_node, input_count) == 20);
RLX_LAYOUT(offsetof(rlx_node, view_root) == 24);
RLX_LAYOUT(offsetof(rlx_node, reserved) == 28);
RLX_LAYOUT(offsetof(rlx_node, dynamic_dims) == 32);
RLX_LAYOUT(sizeof(rlx_node) == 40);
RLX_LAYOUT(offsetof(rlx_node_info, kind_text) == 0);
RLX_LAYOUT(offsetof(rlx_node_info, dtype_text) == 16);
RLX_LAYOUT(offsetof(rlx_node_info, name) == 32);
RLX_LAYOUT(offsetof(rlx_node_info, origin_label) == 48);
RLX_LAYOUT(offsetof(rlx_node_info, origin_pass) == 64);
RLX_LAYOUT(offsetof(rlx_node_info, origin_hir) == 80);
RLX_LAYOUT(offsetof(rlx_node_info, attributes_begin) == 88);
RLX_LAYOUT(offsetof(rlx_node_info, attribute_count) == 92);
RLX_LAYOUT(offsetof(rlx_node_info, nested_begin) == 96);
RLX_LAYOUT(offsetof(rlx_node_info, nested_count) == 100);
RLX_LAYOUT(offsetof(rlx_node_info, view_byte_offset) == 104);
RLX_LAYOUT(offsetof(rlx_node_info, slot_offset) == 112);
RLX_LAYOUT(offsetof(rlx_node_info, slot_bytes) == 120);
RLX_LAYOUT(sizeof(rlx_node_info) == 128);
RLX_LAYOUT(offsetof(rlx_nested_graph, role) == 0);
RLX_LAYOUT(offsetof(rlx_nested_graph, graph) == 16);
RLX_LAYOUT(sizeof(rlx_nested_graph) == 24);
RLX_LAYOUT(offsetof(rlx_graph_view, struct_size) == 0);
RLX_LAYOUT(offsetof(rlx_graph_view, name) == 8);
RLX_LAYOUT(offsetof(rlx_graph_view, nodes) == 24);
RLX_LAYOUT(offsetof(rlx_graph_view, node_count) == 32);
RLX_LAYOUT(offsetof(rlx_graph_view, node_stride) == 40);
RLX_LAYOUT(offsetof(rlx_graph_view, infos) == 48);
RLX_LAYOUT(offsetof(rlx_graph_view, info_stride) == 56);
RLX_LAYOUT(offsetof(rlx_graph_view, inputs) == 64);
RLX_LAYOUT(offsetof(rlx_graph_view, input_count) == 72);
RLX_LAYOUT(offsetof(rlx_graph_view, dims) == 80);
RLX_LAYOUT(offsetof(rlx_graph_view, dim_count) == 88);
RLX_LAYOUT(offsetof(rlx_graph_view, outputs) == 96);
RLX_LAYOUT(offsetof(rlx_graph_view, output_count) == 104);
RLX_LAYOUT(offsetof(rlx_graph_view, attributes) == 112);
RLX_LAYOUT(offsetof(rlx_graph_view, attribute_count) == 120);
RLX_LAYOUT(offsetof(rlx_graph_view, attribute_stride) == 128);
RLX_LAYOUT(offsetof(rlx_graph_view, nested) == 136);
RLX_LAYOUT(offsetof(rlx_graph_view, nested_count) == 144);
RLX_LAYOUT(offsetof(rlx_graph_view, nested_stride) == 152);
RLX_LAYOUT(offsetof(rlx_graph_view, arena_bytes) == 160);
RLX_LAYOUT(sizeof(rlx_graph_view) == 168);
RLX_LAYOUT(offsetof(rlx_option, name) == 0);
RLX_LAYOUT(offsetof(rlx_option, value) == 16);
RLX_LAYOUT(sizeof(rlx_option) == 32);
RLX_LAYOUT(offsetof(rlx_compile_record, struct_size) == 0);
RLX_LAYOUT(offsetof(rlx_compile_record, stage) == 8);
RLX_LAYOUT(offsetof(rlx_compile_record, reserved) == 12);
RLX_LAYOUT(offsetof(rlx_compile_record, graph) == 16);
RLX_LAYOUT(offsetof(rlx_compile_record, source) == 24);
RLX_LAYOUT(offsetof(rlx_compile_record, source_fingerprint) == 32);
RLX_LAYOUT(offsetof(rlx_compile_record, pass) == 48);
RLX_LAYOUT(offsetof(rlx_compile_record, target) == 64);
RLX_LAYOUT(offsetof(rlx_compile_record, compiler_name) == 80);
RLX_LAYOUT(offsetof(rlx_compile_record, compiler_version) == 96);
RLX_LAYOUT(offsetof(rlx_compile_record, pipeline) == 112);
RLX_LAYOUT(offsetof(rlx_compile_record, options) == 128);
RLX_LAYOUT(offsetof(rlx_compile_record, option_count) == 136);
RLX_LAYOUT(offsetof(rlx_compile_record, option_stride) == 144);
RLX_LAYOUT(offsetof(rlx_compile_record, sequence) == 152);
RLX_LAYOUT(sizeof(rlx_compile_record) == 160);
RLX_LAYOUT(offsetof(rlx_host_services, struct_size) == 0);
RLX_LAYOUT(offsetof(rlx_host_services, abi) == 8);
RLX_LAYOUT(offsetof(rlx_host_services, reserved) == 12);
RLX_LAYOUT(offsetof(rlx_host_services, context) == 16);
RLX_LAYOUT(offsetof(rlx_host_services, register_hook) == 24);
RLX_LAYOUT(offsetof(rlx_host_services, report) == 32);
RLX_LAYOUT(sizeof(rlx_host_services) == 40);
RLX_LAYOUT(offsetof(rlx_plugin, struct_size) == 0);
RLX_LAYOUT(offsetof(rlx_plugin, abi) == 8);
RLX_LAYOUT(offsetof(rlx_plugin, reserved) == 12);
RLX_LAYOUT(offsetof(rlx_plugin, name) == 16);
RLX_LAYOUT(offsetof(rlx_plugin, version) == 32);
RLX_LAYOUT(offsetof(rlx_plugin, create) == 48);
RLX_LAYOUT(offsetof(rlx_plugin, destroy) == 56);
RLX_LAYOUT(sizeof(rlx_plugin) == 64);
#undef RLX_LAYOUT

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* RLX_PLUGIN_H */
