#pragma D option zdefs
nosuch:::probe { trace(args[0]); trace(nowhere); }
