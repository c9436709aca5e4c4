#ifndef STRATA_ZLIB_SHIM_H
#define STRATA_ZLIB_SHIM_H

#if !__has_include(<zlib.h>)
#error "zlib.h is missing. On Debian and Ubuntu: apt-get install -y libsqlite3-dev zlib1g-dev"
#endif
#include <zlib.h>

// Swift cannot call inflateInit2, a macro. 31 = gzip alone, with the largest window.
static inline int strata_inflate_begin(z_stream *stream) { return inflateInit2(stream, 31); }

#endif
