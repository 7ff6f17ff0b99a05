BEGIN { trace(ntohs("http")); }
