BEGIN { trace('abcdefghi'); }
