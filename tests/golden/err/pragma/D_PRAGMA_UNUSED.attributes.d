#pragma D attributes Stable/Stable/Common nothing
BEGIN { exit(0); }
