#line five
# 12 file.d
#line 12 "file.d"
BEGIN { exit(0); }
