struct foo {
    int a = 0x5
    char [8] name = [ "ok" ]
    struct in i = {
        char c = 'x'
        short s = 0xffff
        enum color col = BLUE
    }
    struct in [2] arr = [
        struct in {
            char c = '\000'
            short s = 0
            enum color col = 0
        },
        struct in {
            char c = '\000'
            short s = 0
            enum color col = GREEN
        }
    ]
    int [3] nums = [ 0, 0, 0xff ]
    unsigned int b1 = 0x5
    unsigned int b2 = 0x11
    void *p = 0xffff8000
    union {
        int u = 0x41
        char v = 'A'
    }
}
int 0|int 0xffffffff|char 'a'|char '\007'|string "string"|enum color BLUE|int [3] [ 0, 0, 0xff ]|short 0xfffe
struct in {
    char c = '\000'
    short s = 0
    enum color col = 7
}

             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef
         0: 05 00 00 00 6f 6b 00 00 00 00 00 00 78 00 ff ff  ....ok......x...
        10: 0a 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00  ................
        20: 02 00 00 00 00 00 00 00 00 00 00 00 ff 00 00 00  ................
        30: 8d 00 00 00 00 00 00 00 00 80 ff ff 00 00 00 00  ................
        40: 41 00 00 00 00 00 00 00                          A.......

             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef
         0: 00 00 00 00 00 00 00 00 ff 00 00 00              ............
ok

