BEGIN { trace(curlwpsinfo->pr_name[15]); trace(curlwpsinfo->pr_name[16]); }
