BEGIN { setopt(5, 6); }
