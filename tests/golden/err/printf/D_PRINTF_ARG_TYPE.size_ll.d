BEGIN { @[(char)1] = count(); printa("%lld %@d", @); }
