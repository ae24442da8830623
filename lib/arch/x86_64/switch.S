/* SPDX-License-Identifier: MIT */
/*
 * x86-64, System V: the stack switch and the entry of a fresh stack. Contract: lib/arch/context.h.
 *
 * The control words of the floating-point units are not saved: they belong to the thread (lib/arch/context.h).
 * Marked for indirect branch tracking only: shadow stacks cannot follow stacks that change their thread.
 */
	.text

/*
 * void wsfj_arch_switch(struct wsfj_context *from, struct wsfj_context *to)
 * in: rdi, rsi: contexts, which begin with their stack pointers; that of `to` becomes NULL: it runs
 * stack before and after: six callee-saved registers, then the return address
 * Called through a pointer (context.c).
 */
	.globl	wsfj_arch_switch
	.hidden	wsfj_arch_switch
	.type	wsfj_arch_switch, @function
	.balign	16
wsfj_arch_switch:
	.cfi_startproc
	endbr64
	pushq	%rbp
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbp, 0
	pushq	%rbx
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset rbx, 0
	pushq	%r12
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r12, 0
	pushq	%r13
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r13, 0
	pushq	%r14
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r14, 0
	pushq	%r15
	.cfi_adjust_cfa_offset 8
	.cfi_rel_offset r15, 0
	movq	%rsp, (%rdi)
	movq	(%rsi), %rsp
	movq	$0, (%rsi)
	popq	%r15
	.cfi_adjust_cfa_offset -8
	.cfi_restore r15
	popq	%r14
	.cfi_adjust_cfa_offset -8
	.cfi_restore r14
	popq	%r13
	.cfi_adjust_cfa_offset -8
	.cfi_restore r13
	popq	%r12
	.cfi_adjust_cfa_offset -8
	.cfi_restore r12
	popq	%rbx
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbx
	popq	%rbp
	.cfi_adjust_cfa_offset -8
	.cfi_restore rbp
	ret
	.cfi_endproc
	.size	wsfj_arch_switch, .-wsfj_arch_switch

/*
 * The first code on a fresh stack. Never called: wsfj_arch_switch returns to it.
 * in: r12 the function, r13 its argument; stack aligned to 16, with the frame record of lib/arch/context.h on top
 * The return address is undefined: unwinders that use tables end here. Frame pointers lead on, to the record.
 */
	.globl	wsfj_context_start
	.hidden	wsfj_context_start
	.type	wsfj_context_start, @function
	.balign	16
wsfj_context_start:
	.cfi_startproc
	.cfi_undefined rip
	endbr64
	movq	%rsp, %rbp
	movq	%r13, %rdi
	call	*%r12
	ud2
	.cfi_endproc
	.size	wsfj_context_start, .-wsfj_context_start

/*
 * Never runs. gdb stops at a caller on a lower stack, unless a function of this name stands between. So tools/gdb.py puts it
 * there.
 */
	.globl	wsfj_context_between
	.hidden	wsfj_context_between
	.type	__morestack, @function
__morestack:
wsfj_context_between:
	ud2
	ud2
	.size	__morestack, .-__morestack

	.section .note.GNU-stack, "", @progbits

/* Only the IBT bit: one object without the SHSTK note clears it for the whole program. */
	.section .note.gnu.property, "a"
	.balign	8
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000002, 4, 1, 0
