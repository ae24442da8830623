/* SPDX-License-Identifier: MIT */
/*
 * x86-64: the slow-path exits of the fast path (include/wsfj/inline/fastpath.h). They keep every general and vector register,
 * so the code around an inlined exit keeps its registers. First each tries a brief exit (sched/brief.h), which does not change
 * the vectors.
 * Called with the arguments on the stack, below a gap that spares the red zone. The frame is addressed through rbp,
 * because the stack is aligned anew.
 */
#include "arch/x86_64/slow_path.h"

	.text

/* The save area, aligned to 64, starts at 8(%rsp) in the two functions below: 32 registers of 64 bytes, 8 masks, a word. */
#define SAVE_AREA 2176
#define VECTOR(n) 8+64*n
#define MASK(n) 8+2048+8*n
#define IN_USE 2112
/* Bits of what XGETBV calls in use: upper halves of vectors 0-15, vectors 16-31, masks. */
#define UPPER 0x44
#define HIGH16 0x80
#define MASKS 0x20

	/* xmm0-15 go by movaps, which every processor has. */
	.macro	put_low insn:req, reg:req
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	\insn	%\reg\n, VECTOR(\n)(%rsp)
	.endr
	.endm
	.macro	get_low insn:req, reg:req
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	\insn	VECTOR(\n)(%rsp), %\reg\n
	.endr
	.endm

/*
 * Saves the vector registers that this processor has. clobbered: rax, rcx, rdx, flags
 * By plain moves: xsave and xrstor take ten times as long. Registers that XGETBV reports as not in use are zero.
 */
	.type	save_vectors, @function
save_vectors:
	.cfi_startproc
	movl	$-1, %eax
	cmpl	$0, WSFJ_KEPT_ASKS_USE+wsfj_kept(%rip)
	je	1f
	movl	$1, %ecx
	xgetbv
1:	movl	%eax, 8+IN_USE(%rsp)
	movl	WSFJ_KEPT_VECTORS+wsfj_kept(%rip), %edx
	testl	%edx, %edx
	je	2f
	testl	$UPPER, %eax
	je	2f
	cmpl	$WSFJ_VECTORS_ZMM, %edx
	jae	3f
	put_low	vmovups, ymm
	ret
2:	put_low	movaps, xmm
	cmpl	$WSFJ_VECTORS_ZMM, %edx
	jae	4f
	ret
3:	put_low	vmovups, zmm
4:	testl	$HIGH16, %eax
	je	5f
	.irp	n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovups	%zmm\n, VECTOR(\n)(%rsp)
	.endr
5:	testl	$MASKS, %eax
	je	7f
	cmpl	$WSFJ_VECTORS_ZMM, %edx
	je	6f
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq	%k\n, MASK(\n)(%rsp)
	.endr
	ret
6:	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	kmovw	%k\n, MASK(\n)(%rsp)
	.endr
7:	ret
	.cfi_endproc
	.size	save_vectors, .-save_vectors

/* The reverse; what was not in use becomes zero again. clobbered: rax, rdx, flags */
	.type	restore_vectors, @function
restore_vectors:
	.cfi_startproc
	movl	8+IN_USE(%rsp), %eax
	movl	WSFJ_KEPT_VECTORS+wsfj_kept(%rip), %edx
	testl	%edx, %edx
	je	1f
	testl	$UPPER, %eax
	je	2f
	cmpl	$WSFJ_VECTORS_ZMM, %edx
	jae	3f
	get_low	vmovups, ymm
	ret
1:	get_low	movaps, xmm
	ret
2:	get_low	movaps, xmm
	vzeroupper
	cmpl	$WSFJ_VECTORS_ZMM, %edx
	jae	4f
	ret
3:	get_low	vmovups, zmm
4:	testl	$HIGH16, %eax
	je	5f
	.irp	n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vmovups	VECTOR(\n)(%rsp), %zmm\n
	.endr
	jmp	6f
5:	.irp	n, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31
	vpxorq	%zmm\n, %zmm\n, %zmm\n
	.endr
6:	testl	$MASKS, %eax
	je	8f
	cmpl	$WSFJ_VECTORS_ZMM, %edx
	je	7f
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	kmovq	MASK(\n)(%rsp), %k\n
	.endr
	ret
7:	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	kmovw	MASK(\n)(%rsp), %k\n
	.endr
	ret
8:	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	kxorw	%k\n, %k\n, %k\n	/* all 64 bits */
	.endr
	ret
	.cfi_endproc
	.size	restore_vectors, .-restore_vectors

/*
 * Saves the tiles, if the processor has them and they are in use. The compiler does not see that an exit calls code, so it
 * keeps values in tiles across one. Saves by XSAVE into an area below the save area; rsp then points to that area, for
 * leave_c. clobbered: rax, rdx, flags
 */
	.macro	save_tiles
	movl	WSFJ_KEPT_BY_XSAVE+wsfj_kept(%rip), %eax
	andl	IN_USE(%rsp), %eax
	je	1f
	subq	WSFJ_KEPT_AREA+wsfj_kept(%rip), %rsp
	xorl	%edx, %edx
	.irp	n, 512, 520, 528, 536, 544, 552, 560, 568
	movq	%rdx, \n(%rsp)	/* the header: XSAVE writes only a part of it, and XRSTOR wants zeros in the rest */
	.endr
	xsave	(%rsp)
1:
	.endm

	/* The reverse; rsp points to the save area again. Tiles that were not in use are left alone. clobbered: rax, rcx, rdx,
	 * flags */
	.macro	restore_tiles
	leaq	-80-SAVE_AREA(%rbp), %rcx
	andq	$-64, %rcx
	movl	WSFJ_KEPT_BY_XSAVE+wsfj_kept(%rip), %eax
	andl	IN_USE(%rcx), %eax
	je	1f
	xorl	%edx, %edx
	xrstor	(%rsp)
1:	movq	%rcx, %rsp
	.endm

	.macro	keep_general
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	movq	%rsp, %rbp
	.cfi_def_cfa_register rbp
	pushq	%rax
	pushq	%rcx
	pushq	%rdx
	pushq	%rsi
	pushq	%rdi
	pushq	%r8
	pushq	%r9
	pushq	%r10
	pushq	%r11
	pushq	%rax	/* room for the result */
	andq	$-64, %rsp
	cld
	.endm

	/* Jumps to the end of leave_c with this result if the brief exit (sched/brief.h) was enough. rdi, rsi: its arguments */
	.macro	try_brief function:req, result:req
	cmpl	$0, wsfj_brief_works(%rip)
	je	8f
	call	\function
	movl	$\result, -80(%rbp)
	testl	%eax, %eax
	jne	9f
8:
	.endm

	.macro	keep_vectors
	leaq	-80-SAVE_AREA(%rbp), %rsp
	andq	$-64, %rsp
	call	save_vectors
	save_tiles
	.endm

	/* Flag Z is set if the result is 0. */
	.macro	leave_c
	movl	%eax, -80(%rbp)
	restore_tiles
	call	restore_vectors
9:	cmpl	$0, -80(%rbp)
	movq	-72(%rbp), %r11
	movq	-64(%rbp), %r10
	movq	-56(%rbp), %r9
	movq	-48(%rbp), %r8
	movq	-40(%rbp), %rdi
	movq	-32(%rbp), %rsi
	movq	-24(%rbp), %rdx
	movq	-16(%rbp), %rcx
	movq	-8(%rbp), %rax
	movq	%rbp, %rsp
	popq	%rbp
	.cfi_def_cfa rsp, 8
	ret
	.endm

/*
 * wsfj_spawn_slow(deque, tail)
 * stack: return address, tail, deque; all registers kept
 */
	.globl	wsfj_spawn_thunk
	.type	wsfj_spawn_thunk, @function
	.balign	16
wsfj_spawn_thunk:
	.cfi_startproc
	endbr64
	keep_general
	movq	24(%rbp), %rdi
	movq	16(%rbp), %rsi
	try_brief wsfj_spawn_brief, 0
	keep_vectors
	movq	24(%rbp), %rdi
	movq	16(%rbp), %rsi
	call	wsfj_spawn_slow_local
	leave_c
	.cfi_endproc
	.size	wsfj_spawn_thunk, .-wsfj_spawn_thunk

/*
 * wsfj_spawn_full(deque, base, tail)
 * stack: return address, tail, base, deque; all registers kept; flag Z clear if the child is done and the tail has moved
 * May return on another thread.
 */
	.globl	wsfj_loop_thunk
	.type	wsfj_loop_thunk, @function
	.balign	16
wsfj_loop_thunk:
	.cfi_startproc
	endbr64
	keep_general
	movq	32(%rbp), %rdi
	movq	16(%rbp), %rsi
	try_brief wsfj_loop_brief, 0
	keep_vectors
	movq	32(%rbp), %rdi
	movq	24(%rbp), %rsi
	movq	16(%rbp), %rdx
	call	wsfj_spawn_full_local
	leave_c
	.cfi_endproc
	.size	wsfj_loop_thunk, .-wsfj_loop_thunk

/*
 * wsfj_sync_slow(deque, base, desc)
 * stack: return address, desc, base, deque; all registers kept; flag Z set if the child was stolen
 * May return on another thread.
 */
	.globl	wsfj_sync_thunk
	.type	wsfj_sync_thunk, @function
	.balign	16
wsfj_sync_thunk:
	.cfi_startproc
	endbr64
	keep_general
	movq	32(%rbp), %rdi
	movq	16(%rbp), %rsi
	try_brief wsfj_sync_brief, 1
	keep_vectors
	movq	32(%rbp), %rdi
	movq	24(%rbp), %rsi
	movq	16(%rbp), %rdx
	call	wsfj_sync_slow_local
	leave_c
	.cfi_endproc
	.size	wsfj_sync_thunk, .-wsfj_sync_thunk

	/* For a debugger. */
	.globl	wsfj_thunk_end
	.hidden	wsfj_thunk_end
wsfj_thunk_end:

	.section .note.GNU-stack, "", @progbits
	.section .note.gnu.property, "a"
	.balign	8
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 1, 0
