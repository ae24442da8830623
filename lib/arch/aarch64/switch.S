/* SPDX-License-Identifier: MIT */
/*
 * AArch64, AAPCS64: the stack switch and the entry of a fresh stack. Contract: lib/arch/context.h.
 *
 * Saved: x19-x28, the frame record, d8-d15. FPCR belongs to the thread (lib/arch/context.h). The return address kept here
 * is not signed; those that the compiler signs elsewhere survive, because sp is restored before they are checked.
 */
	.text

/*
 * void wsfj_arch_switch(struct wsfj_context *from, struct wsfj_context *to)
 * in: x0, x1: contexts, which begin with their stack pointers; that of `to` becomes NULL: it runs
 * stack before and after: 160 bytes: x29 x30 x19-x28 d8-d15
 */
	.globl	wsfj_arch_switch
	.hidden	wsfj_arch_switch
	.type	wsfj_arch_switch, %function
	.balign	16
wsfj_arch_switch:
	.cfi_startproc
	hint	#34	/* bti c */
	stp	x29, x30, [sp, #-160]!
	.cfi_adjust_cfa_offset 160
	.cfi_rel_offset x29, 0
	.cfi_rel_offset x30, 8
	mov	x29, sp
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	mov	x9, sp
	str	x9, [x0]
	ldr	x9, [x1]
	mov	sp, x9
	str	xzr, [x1]
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	ldp	x29, x30, [sp], #160
	.cfi_adjust_cfa_offset -160
	.cfi_restore x29
	.cfi_restore x30
	ret
	.cfi_endproc
	.size	wsfj_arch_switch, .-wsfj_arch_switch

/*
 * The first code on a fresh stack.
 * in: x19 the function, x20 its argument; sp aligned to 16, at the frame record of lib/arch/context.h
 * The return address is undefined: unwinders that use tables end here. Frame pointers lead on, to the record.
 */
	.globl	wsfj_context_start
	.hidden	wsfj_context_start
	.type	wsfj_context_start, %function
	.balign	16
wsfj_context_start:
	.cfi_startproc
	.cfi_undefined x30
	hint	#38	/* bti jc */
	mov	x29, sp
	mov	x30, #0
	mov	x0, x20
	blr	x19
	brk	#1
	.cfi_endproc
	.size	wsfj_context_start, .-wsfj_context_start

/*
 * Never runs. gdb stops at a caller on a lower stack, unless a function of this name stands between. So tools/gdb.py puts it
 * there.
 */
	.globl	wsfj_context_between
	.hidden	wsfj_context_between
	.type	__morestack, %function
__morestack:
wsfj_context_between:
	brk	#1
	brk	#1
	.size	__morestack, .-__morestack

	.section .note.GNU-stack, "", %progbits

/* Branch target identification is respected. */
	.section .note.gnu.property, "a"
	.balign	8
	.long	4, 16, 5
	.asciz	"GNU"
	.long	0xc0000000, 4, 1, 0
