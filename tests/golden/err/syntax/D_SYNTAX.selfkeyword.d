BEGIN { trace(self); exit(0); }
