short string s;
