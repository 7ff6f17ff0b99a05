#pragma D attributes Private/Private/Common DTRACEFLT_ILLOP
BEGIN { exit(0); }
