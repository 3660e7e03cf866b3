// The first file.
int alpha_function() {
  return 1;
}
