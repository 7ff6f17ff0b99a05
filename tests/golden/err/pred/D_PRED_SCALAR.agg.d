BEGIN /@a/ { @a = count(); }
