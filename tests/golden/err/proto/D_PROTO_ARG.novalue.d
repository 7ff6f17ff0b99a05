BEGIN { @a = count(); trace(strlen(trace(1))); trace(strjoin("a", @a)); }
