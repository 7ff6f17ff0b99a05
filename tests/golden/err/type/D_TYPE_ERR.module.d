BEGIN { trace(sizeof(struct nosuchmod`task_struct)); }
