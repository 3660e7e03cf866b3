RANDOM='a[$(rm x)]'; trap -- 'rm x' EXIT; wait -n -p 'a[$(rm)]'; read -aPATH
sed -n '1,5p;s/a/b/gp' f; awk -F: '{print $1}' f; git -C d --no-pager log
find . -exec echo "$x" -exec rm {} + 
