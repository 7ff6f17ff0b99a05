int x[void]; BEGIN { exit(0); }
