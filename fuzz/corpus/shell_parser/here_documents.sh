cat <<A <<-'B'; ls
$(rm x)
A
	text
	B
b