BEGIN { print(stack()); print(ustack(3)); print(jstack()); trace(stack()); }
