from cart import total

assert total([1, 2]) == 3
