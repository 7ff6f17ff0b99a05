#pragma D option quiet destructive
BEGIN { exit(0); }
