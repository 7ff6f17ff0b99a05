BEGIN { mutex_owner(); trace(mutex_owned(curthread, 1)); }
