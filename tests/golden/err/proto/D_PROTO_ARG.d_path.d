BEGIN { trace(d_path(5)); trace(d_path(curthread)); trace(d_path()); }
