BEGIN /execname == 'curl'/ { }
BEGIN /pid == "80"/ { }
BEGIN /execname == 5/ { }
