#pragma D option bufpolicy=bucket
BEGIN { exit(0); }
