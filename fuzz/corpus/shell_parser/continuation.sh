r\
m x # comment \
ls $\
(rm y)