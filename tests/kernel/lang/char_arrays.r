AB|   AB|2|T|R
1 ABT 1

  AB                                                  AB                                                                1
