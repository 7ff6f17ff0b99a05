

              key  ------------- Distribution ------------- count    
              neg           @@@@@@@@@@|                     -3       
              one                     |@@@                  1        
              two                     |@@@@@@@              2        

              key  min .---------------. max  | count
                x    0 : x     x       : 8192 | 3
               yy    0 :             X : 8192 | 1

  min .---. max  | count
   -1 : X : 1    | 1

     min .------------. max      | count
     < 0 :    x      x: >= 10    | 2
