def greet():
    print('good morning')
