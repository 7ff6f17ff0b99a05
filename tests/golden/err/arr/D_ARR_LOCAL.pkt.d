ip:::send { pkt->seen[1] = 1; }
