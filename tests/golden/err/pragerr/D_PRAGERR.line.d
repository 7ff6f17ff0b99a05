#error this is no program
BEGIN { exit(0); }
