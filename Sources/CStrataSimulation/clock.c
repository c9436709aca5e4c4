#define _GNU_SOURCE
#include "CStrataSimulation.h"
#include <stddef.h>
#include <sys/time.h>
#include <time.h>

static _Thread_local void *current_world;
static _Thread_local int64_t virtual_time;

void strata_enter(void *world) { current_world = world; }

void *strata_world(void) { return current_world; }

void strata_set_time(int64_t time) { virtual_time = time; }

int64_t strata_time(void) { return virtual_time; }

#if STRATA_REPLACES
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

// Returns the function that a function of this file stands before.
static void *original(_Atomic(void *) *known, const char *name) {
  void *function = atomic_load_explicit(known, memory_order_relaxed);
  if (function) return function;
  function = dlsym(RTLD_NEXT, name);
  if (!function) {
    fprintf(stderr, "no library has %s\n", name);
    abort();
  }
  atomic_store_explicit(known, function, memory_order_relaxed);
  return function;
}

// These three functions stand before the C library's in the whole process, so that the clocks of Swift, Foundation and
// SQLite show the virtual time on a simulated thread.

int gettimeofday(struct timeval *time, void *zone) {
  if (!current_world) {
    static _Atomic(void *) known;
    return ((int (*)(struct timeval *, void *))original(&known, "gettimeofday"))(time, zone);
  }
  time->tv_sec = virtual_time / 1000000000;
  time->tv_usec = virtual_time % 1000000000 / 1000;
  return 0;
}

time_t time(time_t *result) {
  if (!current_world) {
    static _Atomic(void *) known;
    return ((time_t (*)(time_t *))original(&known, "time"))(result);
  }
  time_t seconds = virtual_time / 1000000000;
  if (result) *result = seconds;
  return seconds;
}

int clock_gettime(clockid_t clock, struct timespec *time) {
  if (!current_world) {
    static _Atomic(void *) known;
    return ((int (*)(clockid_t, struct timespec *))original(&known, "clock_gettime"))(clock, time);
  }
  time->tv_sec = virtual_time / 1000000000;
  time->tv_nsec = virtual_time % 1000000000;
  return 0;
}

// The runtime's default executor calls these two functions past the hooks when a task sleeps or yields. Their context is
// a job, and their function runs it. The main queue runs jobs of the main actor outside of the simulation, which a
// simulated thread may resume.

extern __attribute__((weak)) char _dispatch_main_q;

void dispatch_async_f(void *queue, void *context, void (*work)(void *)) {
  if (current_world && queue != &_dispatch_main_q) return strata_scheduler.call_after(0, work, context);
  static _Atomic(void *) known;
  ((void (*)(void *, void *, void (*)(void *)))original(&known, "dispatch_async_f"))(queue, context, work);
}

// libdispatch encodes the times of the wall clock as negative numbers. In other times, bit 63 without bit 62 says which
// clock is meant. All bits are set in a time that never comes.
void dispatch_after_f(uint64_t when, void *queue, void *context, void (*work)(void *)) {
  if (current_world) {
    if (when == UINT64_MAX) return;
    bool is_wall = (when >> 62) == 3;
    int64_t time = is_wall ? -(int64_t)when : (int64_t)(when & ((1ull << 62) - 1));
    return strata_scheduler.call_after(time - virtual_time, work, context);
  }
  static _Atomic(void *) known;
  ((void (*)(uint64_t, void *, void *, void (*)(void *)))original(&known, "dispatch_after_f"))(
      when, queue, context, work);
}
#endif
