AB|   AB|2|T|R
1 ABT 1
1 0 1

  AB                                                  AB                                                                1
  D                                                   AB                                                                1
