/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq: the sites of sdt:::interrupt-start and sdt:::interrupt-complete. Each struct lists the arguments of its
 * tracepoint in order; the translators make a struct dw_irq of it. */
struct dw_irq {
	struct irqaction *action;	/* of the device: its handler and name */
	int32_t irq;			/* number of the interrupt */
	int32_t result;			/* return value of the handler; 0: the interrupt was not from its device */
};

struct dw_irqstart {			/* irq_handler_entry */
	int irq;
	struct irqaction *action;
};
translator struct dw_irq < struct dw_irqstart *C > {
	result = 0;
};

struct dw_irqdone {			/* irq_handler_exit */
	int irq;
	struct irqaction *action;
	int result;
};
translator struct dw_irq < struct dw_irqdone *C > {
	irq = C->irq;
};
