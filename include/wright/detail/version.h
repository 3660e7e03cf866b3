#pragma once

#define WRIGHT_VERSION "0.1.0"
