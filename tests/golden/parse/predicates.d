/* where / divides and where it ends the predicate */
BEGIN / a / b == 2 / { }
BEGIN/a/{ }
BEGIN /a/ // a comment
{ x = 1 / 2; }
BEGIN / (a / b) / 2 && f(c / d) && e[1 / 2] /
{ }
BEGIN /a ? b / c : d/ { }
BEGIN /a/ tcp:::send /b/ { }
BEGIN /a == '/' || s == "/ {"/ { }
BEGIN /(this->x = a) != 0/ { }
BEGIN /a / b/
tick-1s /c/ { }
END /self->x/
