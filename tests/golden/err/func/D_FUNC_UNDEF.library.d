BEGIN { trace(__ip4(1)); }
