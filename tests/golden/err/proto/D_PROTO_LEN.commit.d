BEGIN { commit(); }
