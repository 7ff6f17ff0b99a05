struct empty { };
