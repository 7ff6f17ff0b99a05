/* args: 17 */
BEGIN { exit(0); }
