/* expect error 2:10 "cannot read" */
#include "nowhere.h"
init { skip }
