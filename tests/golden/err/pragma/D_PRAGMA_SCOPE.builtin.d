#pragma D attributes Private/Private/Common execname
BEGIN { exit(0); }
