quiet
2 1
1 2
1 2
2 1
1 2
2 1
stderr:
dwire: couldn't set option "bufsize" to "5m": Option cannot be used in current context
dwire: couldn't set option "nosuch": Invalid option name
dwire: couldn't set option "quiet" to "maybe": Invalid value for specified option
