/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irq: the sites of sdt:::interrupt-start and sdt:::interrupt-complete. */
struct dw_irq {
	struct irqaction *action;	/* of the device: its handler and name */
	int32_t irq;			/* number of the interrupt */
	int32_t result;			/* what the handler returned; 0: it was not its device */
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
