/* if and else, nested and with single statements; # lines between */
tcp:::send
{
	if (args[2]->ip_plength > 100) {
		@big = count();
		if (self->x)
			self->x = 0;
		else if (pid == 1) {
			@init = count();
		} else
			@other = count();
	} else if (!pid)
		;
# 5 "include.d"
#pragma D option bufsize=4m
	this->last = timestamp
}
