BEGIN /trace(1)/ { }
