/* SPDX-License-Identifier: MIT */
/*
 * x86-64: the out-of-line doors of the fast path (include/wsfj/fastpath.h). They keep every general register and
 * xmm0-15, so that inlined code loses nothing by their presence; code compiled for AVX says at the call site that wider
 * registers are clobbered.
 * Called with the arguments on the stack, below a gap that spares the red zone. The frame is addressed through rbp,
 * because the stack is aligned anew.
 */
	.text

	.macro	enter_c
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
	subq	$256, %rsp
	andq	$-16, %rsp
	movq	%rsp, %rax
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movaps	%xmm\n, 16*\n(%rax)
	.endr
	cld
	.endm

	/* Keeps the flags. */
	.macro	leave_c
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movaps	16*\n(%rsp), %xmm\n
	.endr
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
 * wsfj_spawn_slow(head, tail)
 * stack: return address, tail, head; all registers kept
 */
	.globl	wsfj_spawn_thunk
	.type	wsfj_spawn_thunk, @function
	.balign	16
wsfj_spawn_thunk:
	.cfi_startproc
	endbr64
	enter_c
	movq	24(%rbp), %rdi
	movq	16(%rbp), %rsi
	call	wsfj_spawn_slow_local
	leave_c
	.cfi_endproc
	.size	wsfj_spawn_thunk, .-wsfj_spawn_thunk

/*
 * wsfj_spawn_full(head, base, tail)
 * stack: return address, tail, base, head; all registers kept; flag Z clear if the child is done and the tail has moved
 * The thread may be another one afterwards.
 */
	.globl	wsfj_loop_thunk
	.type	wsfj_loop_thunk, @function
	.balign	16
wsfj_loop_thunk:
	.cfi_startproc
	endbr64
	enter_c
	movq	32(%rbp), %rdi
	movq	24(%rbp), %rsi
	movq	16(%rbp), %rdx
	call	wsfj_spawn_full_local
	testl	%eax, %eax
	leave_c
	.cfi_endproc
	.size	wsfj_loop_thunk, .-wsfj_loop_thunk

/*
 * wsfj_sync_slow(head, base, line)
 * stack: return address, line, base, head; all registers kept; flag Z set if the child was stolen
 * The thread may be another one afterwards.
 */
	.globl	wsfj_sync_thunk
	.type	wsfj_sync_thunk, @function
	.balign	16
wsfj_sync_thunk:
	.cfi_startproc
	endbr64
	enter_c
	movq	32(%rbp), %rdi
	movq	24(%rbp), %rsi
	movq	16(%rbp), %rdx
	call	wsfj_sync_slow_local
	testl	%eax, %eax
	leave_c
	.cfi_endproc
	.size	wsfj_sync_thunk, .-wsfj_sync_thunk

	.section .note.GNU-stack, "", @progbits
	.section .note.gnu.property, "a"
	.balign	8
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 1, 0
