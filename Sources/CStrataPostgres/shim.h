#ifndef STRATA_POSTGRES_SHIM_H
#define STRATA_POSTGRES_SHIM_H

#if __has_include(<libpq-fe.h>)
#include <libpq-fe.h>
#elif __has_include(<postgresql/libpq-fe.h>)
#include <postgresql/libpq-fe.h>
#elif __has_include("/opt/homebrew/opt/libpq/include/libpq-fe.h")
#include "/opt/homebrew/opt/libpq/include/libpq-fe.h"
#else
#error "libpq-fe.h is missing. On Debian and Ubuntu: apt-get install -y libpq-dev. With Homebrew: brew install libpq"
#endif

#endif
