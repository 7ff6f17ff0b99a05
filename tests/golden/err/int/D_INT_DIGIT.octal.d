BEGIN { trace(089); }
