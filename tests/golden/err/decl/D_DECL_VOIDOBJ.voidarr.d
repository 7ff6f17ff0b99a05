void x[5]; BEGIN { exit(0); }
