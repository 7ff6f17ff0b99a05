tcp:::send
/args[2]->ip_saddr == 5/
{ exit(0); }
