#include "chardware.h"
