BEGIN { trace(comm); }
BEGIN { trace(nsecs); }
BEGIN { @[kstack] = count(); }
BEGIN /execname == curl/ { }
BEGIN { trace(BADADDR); }
