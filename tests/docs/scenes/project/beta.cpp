int alpha_function();
int beta_function() { return alpha_function() + 1; }
