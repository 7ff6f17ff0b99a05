BEGIN { trace(sizeof (struct vmlinux`no_such_thing)); }
