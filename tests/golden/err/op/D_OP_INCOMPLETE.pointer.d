struct later;
BEGIN { trace((struct later *)8 + 1); }
