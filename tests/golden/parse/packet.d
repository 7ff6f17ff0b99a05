ip:::send
{
	pkt->at = timestamp;
	trace(args[0]->pkt_len + pkt->at);
	trace(this->pkt->at);
}

inline int length[struct sk_buff *pkt] = pkt->len;
