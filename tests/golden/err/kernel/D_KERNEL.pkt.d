BEGIN { pkt->x = 1; }
