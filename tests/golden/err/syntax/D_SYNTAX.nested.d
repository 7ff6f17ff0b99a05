/* a comment /* in a comment */ BEGIN { }
