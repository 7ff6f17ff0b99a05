struct nope x[int]; BEGIN { exit(0); }
