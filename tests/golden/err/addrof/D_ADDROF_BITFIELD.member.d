struct s { int a : 3; int b : 5; };
BEGIN { trace(&((struct s *)curthread)->a); }
