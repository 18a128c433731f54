#include "textflag.h"

// func dots4(dst *float64, q, rows *float32, groups, bytes int)
//
// Products of q with groups × 4 rows of the given length in bytes, a multiple of 32.
// Each row has one register of eight sums; a multiplication and an addition, never
// fused, as dot in dot.go.
TEXT ·dots4(SB), NOSPLIT, $0-40
	MOVQ dst+0(FP), DI
	MOVQ q+8(FP), SI
	MOVQ rows+16(FP), R8
	MOVQ groups+24(FP), CX
	MOVQ bytes+32(FP), DX

group:
	LEAQ   (R8)(DX*1), R9
	LEAQ   (R8)(DX*2), R10
	LEAQ   (R9)(DX*2), R11
	VXORPS Y0, Y0, Y0
	VXORPS Y1, Y1, Y1
	VXORPS Y2, Y2, Y2
	VXORPS Y3, Y3, Y3
	LEAQ   (R8)(DX*4), R12 // the next group, fetched while this one is worked on
	XORQ   AX, AX

eight:
	VMOVUPS (SI)(AX*1), Y8
	VMULPS  (R8)(AX*1), Y8, Y4
	VMULPS  (R9)(AX*1), Y8, Y5
	VMULPS  (R10)(AX*1), Y8, Y6
	VMULPS  (R11)(AX*1), Y8, Y7
	PREFETCHT0 (R12)(AX*4)
	PREFETCHT0 64(R12)(AX*4)
	VADDPS  Y4, Y0, Y0
	VADDPS  Y5, Y1, Y1
	VADDPS  Y6, Y2, Y2
	VADDPS  Y7, Y3, Y3
	ADDQ    $32, AX
	CMPQ    AX, DX
	JLT     eight

	// Lanes of each row: (i + i+4), then the four of them by pairs (0+2) + (1+3), for
	// four rows at once: transpose by unpacking.
	VEXTRACTF128 $1, Y0, X4
	VEXTRACTF128 $1, Y1, X5
	VEXTRACTF128 $1, Y2, X6
	VEXTRACTF128 $1, Y3, X7
	VADDPS       X4, X0, X0
	VADDPS       X5, X1, X1
	VADDPS       X6, X2, X2
	VADDPS       X7, X3, X3
	VUNPCKLPS    X1, X0, X4 // a0 b0 a1 b1
	VUNPCKHPS    X1, X0, X5 // a2 b2 a3 b3
	VUNPCKLPS    X3, X2, X6
	VUNPCKHPS    X3, X2, X7
	VADDPS       X5, X4, X4 // a0+a2 b0+b2 a1+a3 b1+b3
	VADDPS       X7, X6, X6
	VMOVLHPS     X6, X4, X0 // a0+a2 b0+b2 c0+c2 d0+d2
	VMOVHLPS     X4, X6, X1 // a1+a3 b1+b3 c1+c3 d1+d3
	VADDPS       X1, X0, X0
	VCVTPS2PD    X0, Y0
	VMOVUPD      Y0, (DI)
	ADDQ         $32, DI
	LEAQ         (R8)(DX*4), R8
	DECQ         CX
	JNZ          group
	VZEROUPPER
	RET
