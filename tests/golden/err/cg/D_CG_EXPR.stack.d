BEGIN { x = stack(); self->y = func(caller); trace(usym(ucaller) + 1); } BEGIN / stack() / { }
