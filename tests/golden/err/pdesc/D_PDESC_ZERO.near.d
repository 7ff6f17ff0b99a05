tcp:::sned { exit(0); }
