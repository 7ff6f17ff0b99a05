BEGIN { copyout(1, 2, 3); copyoutstr("a", "b", 3); copyout("a", 1); json("a"); json(1, "a"); }
