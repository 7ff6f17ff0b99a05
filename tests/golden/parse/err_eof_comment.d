BEGIN { }
/* this comment
 * has no end
