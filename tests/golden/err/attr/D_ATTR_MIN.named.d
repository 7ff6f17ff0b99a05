#pragma D option amin=Stable/Stable/Common
#pragma D attributes Private/Stable/Common mine
inline int mine = 1;
BEGIN { exit(mine); }
