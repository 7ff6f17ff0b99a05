#pragma D option amin=high
BEGIN { exit(0); }
