#pragma D option version=1.0
#pragma D binding "1.5" later
inline int later = 4;
BEGIN { trace(later); }
