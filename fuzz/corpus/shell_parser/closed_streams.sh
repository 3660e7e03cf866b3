<&-rm ls; 2>& -rm x; ls >&- 3<&0-
time -p -- rm x; ! time rm
