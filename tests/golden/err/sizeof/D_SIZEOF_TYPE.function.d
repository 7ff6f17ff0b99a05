BEGIN { trace(sizeof(`vfs_read)); }
