/* A timeout is seen where no packet is. */
tcp:::rto { pcap(args[0]); }
