#ifndef C_STRATA_SIMULATION_H
#define C_STRATA_SIMULATION_H

#include <stdbool.h>
#include <stdint.h>

/// Whether a program may stand before functions of the system: only on Linux, and not under
/// ThreadSanitizer, which stands before the same functions.
#if defined(__linux__) && !__has_feature(thread_sanitizer)
#define STRATA_REPLACES 1
#else
#define STRATA_REPLACES 0
#endif

/// The functions of a scheduler that takes the jobs of its thread from the Swift runtime.
///
/// A function that returns false leaves the job to the runtime.
struct strata_scheduler {
  bool (*enqueue)(void *job);
  bool (*enqueue_after)(int64_t nanoseconds, void *job);
  /// Calls a function after a delay, on a simulated thread.
  void (*call_after)(int64_t nanoseconds, void (*function)(void *context), void *context);
  /// The identity and the implementation of the serial executor that stands for the main actor's.
  void *main_identity;
  uintptr_t main_implementation;
};

/// Installs a scheduler for all simulated threads.
///
/// Returns the reason why nothing can be simulated; NULL if the scheduler is installed.
const char *strata_install(struct strata_scheduler scheduler);

/// Makes the calling thread the thread of a world, whose clocks show a virtual time.
///
/// NULL makes it an ordinary thread again.
void strata_enter(void *world);

/// Sets the virtual time of the calling thread, in nanoseconds since 1970.
void strata_set_time(int64_t time);

/// The world of the calling thread; NULL on an ordinary thread.
void *strata_world(void);

/// The virtual time of the calling thread in nanoseconds since 1970.
int64_t strata_time(void);

/// The scheduler that is installed.
extern struct strata_scheduler strata_scheduler;

/// Runs a job outside of every serial executor.
void strata_run(void *job);

/// The identifier of the task of a job; 0 if the job is no task.
uint64_t strata_task_of(void *job);

#endif
