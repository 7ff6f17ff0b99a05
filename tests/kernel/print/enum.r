[GREEN] [BLUE] [     RED] [GREEN   ] [?]
HRTIMER_RESTART 1
enum color GREEN
