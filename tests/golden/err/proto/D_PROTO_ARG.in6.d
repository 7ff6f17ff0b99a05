BEGIN { trace(inet_ntoa6((char *)arg0)); trace(inet_ntoa6(curthread)); trace(inet_ntoa6((struct in6_addr *)arg0)); }
