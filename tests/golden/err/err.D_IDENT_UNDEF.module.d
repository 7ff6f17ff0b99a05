BEGIN { trace(nosuchmod`jiffies); }
