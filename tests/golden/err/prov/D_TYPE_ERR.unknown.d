provider foo { probe locked(lock_t *, lock_t); };
