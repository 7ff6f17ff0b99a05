BEGIN { @a = ntohs(5); }
