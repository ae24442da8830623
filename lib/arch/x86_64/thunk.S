/* SPDX-License-Identifier: MIT */
/*
 * x86-64: the out-of-line doors of the fast path (include/wsfj/fastpath.h). They keep every general and vector
 * register, so that inlined code loses nothing by their presence.
 * Called with the arguments on the stack, below a gap that spares the red zone. The frame is addressed through rbp,
 * because the stack is aligned anew.
 */
	.text

/* Room for the components below in the standard form: they end with the upper 16 zmm registers at 2688. */
#define SAVE_AREA 2688
/* SSE, AVX, opmask, the two halves of AVX-512, APX. Not x87: code that uses it says that it is clobbered. */
#define COMPONENTS 0x800e6

/*
 * Saves the vector registers, whatever there are, at 8(%rsp), which is aligned to 64.
 * clobbered: rax, rdx
 * wsfj_xsave (set once, doors.c): 2 xsavec, 1 xsave, 0 neither: then there are 16 xmm registers only.
 */
	.type	save_vectors, @function
save_vectors:
	.cfi_startproc
	movl	wsfj_xsave(%rip), %eax
	testl	%eax, %eax
	je	1f
	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7
	movq	$0, 8+512+8*\n(%rsp)
	.endr
	cmpl	$2, %eax
	movl	$COMPONENTS, %eax
	movl	$0, %edx
	jne	2f
	xsavec	8(%rsp)
	ret
2:	xsave	8(%rsp)
	ret
1:	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movups	%xmm\n, 8+16*\n(%rsp)
	.endr
	ret
	.cfi_endproc
	.size	save_vectors, .-save_vectors

/* The reverse. Keeps the flags; clobbered: rax, rcx, rdx */
	.type	restore_vectors, @function
restore_vectors:
	.cfi_startproc
	movl	wsfj_xsave(%rip), %ecx
	jrcxz	1f
	movl	$COMPONENTS, %eax
	movl	$0, %edx
	xrstor	8(%rsp)
	ret
1:	.irp	n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movups	8+16*\n(%rsp), %xmm\n
	.endr
	ret
	.cfi_endproc
	.size	restore_vectors, .-restore_vectors

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
	subq	$SAVE_AREA, %rsp
	andq	$-64, %rsp
	cld
	call	save_vectors
	.endm

	/* Keeps the flags. */
	.macro	leave_c
	call	restore_vectors
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
