#include <sys/types.h>
#include <sys/time.h>
#include <sys/select.h>
#include <event2/event.h>
