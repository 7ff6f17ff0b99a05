BEGIN { printf("%d, %-5Q.", 1); }
