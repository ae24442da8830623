/* SPDX-License-Identifier: MIT */
/*
 * x86-64, System V: the stack switch and the entry of a fresh stack. Contract: lib/arch/context.h.
 *
 * The control words of the floating-point units are not saved: they belong to the thread (lib/arch/context.h).
 * Marked for indirect branch tracking only: shadow stacks cannot follow stacks that change their thread.
 */
	.text

/*
 * void wsfj_context_jump(void **save, void *to)
 * in: rdi where the old stack pointer goes, rsi the new stack pointer
 * stack before and after: six callee-saved registers, then the return address
 */
	.globl	wsfj_context_jump
	.hidden	wsfj_context_jump
	.type	wsfj_context_jump, @function
	.balign	16
wsfj_context_jump:
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
	movq	%rsi, %rsp
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
	.size	wsfj_context_jump, .-wsfj_context_jump

/*
 * The first code on a fresh stack. Never called: wsfj_context_jump returns to it.
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
