BEGIN { freopen(execname); }
