BEGIN { trace(*`schedule); exit(0); }
