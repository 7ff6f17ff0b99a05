ip:::send { trace(pkt->y); }
