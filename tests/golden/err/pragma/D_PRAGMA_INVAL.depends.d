#pragma D depends_on planet mars
BEGIN { exit(0); }
