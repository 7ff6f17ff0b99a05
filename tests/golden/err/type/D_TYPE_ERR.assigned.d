BEGIN { this->c = (conn_t *)arg0; trace(this->c->conn_ref); self->k[1] = (nosuch *)arg1; trace(self->k[2]); }
BEGIN { trace(this->c); trace(this->d); exit(0); }
