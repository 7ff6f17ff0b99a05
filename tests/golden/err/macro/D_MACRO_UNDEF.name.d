BEGIN { trace($nobody); }
