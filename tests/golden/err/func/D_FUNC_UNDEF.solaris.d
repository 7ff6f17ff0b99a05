BEGIN { trace(msgsize(NULL)); trace(ddi_pathname(NULL, 1)); }
