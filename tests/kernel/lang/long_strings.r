[a literal longer than thirty-two bytes, kept in memory]
[a literal longer than thirty-two bytes, kept in memory]
[a literal longer than thirty-two bytes, kept in memory]
[of a long key]
[a literal longer than thirty-two bytes, kept in memory]
[a literal longer than thirty-two bytes, kept in memory]
[another one, longer than thirty-two bytes as well]
[a literal longer than thirty-two bytes, kept in memory]
[another one, longer than thirty-two bytes as well]
0111
01111
100
[][][]
[short] 1
[1234567890123456789012345678901234567890123456789012345678901234567890123456789]
[another one, longer than thirty-two bytes as well]
same
clause-local
10.0.0.1 1 1
10.0.0.1 another one, longer than thirty-two bytes as well

  a literal longer than thirty-two bytes, kept in memory  dwire                                                     7                1
  another one, longer than thirty-two bytes as well   dwire                                                     7                2
