struct s { int a; };
BEGIN { trace(xlate <struct s *> (curthread)->a); }
