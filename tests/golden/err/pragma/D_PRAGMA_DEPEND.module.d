#pragma D depends_on module nosuchmodule
BEGIN { exit(0); }
