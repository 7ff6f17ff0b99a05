BEGIN { trace(`__start_BTF); }
