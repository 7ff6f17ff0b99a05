provider foo { probe weighed(double grams); };
