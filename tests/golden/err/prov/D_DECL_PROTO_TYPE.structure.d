struct point { int x, y; };
provider foo { probe moved(struct point *, struct point); };
