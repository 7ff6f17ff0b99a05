#pragma D attributes Stable/Stable/Common provider tcp naem
BEGIN { exit(0); }
