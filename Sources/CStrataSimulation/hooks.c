#define _GNU_SOURCE
#include "CStrataSimulation.h"
#include <stddef.h>

// The hooks of the Swift runtime, as `include/swift/Runtime/Concurrency.h` declares them. They are weak: a runtime
// that lacks one is reported by `strata_install`.
#define SWIFT_CC __attribute__((swiftcall))
#define WEAK __attribute__((weak))

struct executor {
  void *identity;
  uintptr_t implementation;
};

typedef SWIFT_CC void (*enqueue_original)(void *job);
typedef SWIFT_CC void (*enqueue_hook)(void *job, enqueue_original original);
typedef SWIFT_CC void (*delay_original)(unsigned long long delay, void *job);
typedef SWIFT_CC void (*delay_hook)(unsigned long long delay, void *job, delay_original original);
typedef SWIFT_CC void (*deadline_original)(
    long long seconds, long long nanoseconds, long long tolerance_seconds, long long tolerance_nanoseconds, int clock,
    void *job);
typedef SWIFT_CC void (*deadline_hook)(
    long long seconds, long long nanoseconds, long long tolerance_seconds, long long tolerance_nanoseconds, int clock,
    void *job, deadline_original original);
typedef SWIFT_CC struct executor (*main_original)(void);
typedef SWIFT_CC struct executor (*main_hook)(main_original original);
typedef SWIFT_CC bool (*is_main_original)(struct executor executor);
typedef SWIFT_CC bool (*is_main_hook)(struct executor executor, is_main_original original);

extern WEAK enqueue_hook swift_task_enqueueGlobal_hook;
extern WEAK delay_hook swift_task_enqueueGlobalWithDelay_hook;
extern WEAK deadline_hook swift_task_enqueueGlobalWithDeadline_hook;
extern WEAK main_hook swift_task_getMainExecutor_hook;
extern WEAK is_main_hook swift_task_isMainExecutor_hook;
extern WEAK SWIFT_CC void swift_job_run(void *job, struct executor executor);
extern WEAK SWIFT_CC uint64_t swift_task_getJobTaskId(void *job);

struct strata_scheduler strata_scheduler;

static SWIFT_CC void enqueue(void *job, enqueue_original original) {
  if (!strata_scheduler.enqueue(job)) original(job);
}

static SWIFT_CC void enqueue_after_delay(unsigned long long delay, void *job, delay_original original) {
  int64_t nanoseconds = delay > INT64_MAX ? INT64_MAX : (int64_t)delay;
  if (!strata_scheduler.enqueue_after(nanoseconds, job)) original(delay, job);
}

static SWIFT_CC void enqueue_at_deadline(
    long long seconds, long long nanoseconds, long long tolerance_seconds, long long tolerance_nanoseconds, int clock,
    void *job, deadline_original original) {
  if (strata_world()) {
    int64_t delay;
    bool is_late = __builtin_mul_overflow(seconds, 1000000000, &delay) ||
                   __builtin_add_overflow(delay, nanoseconds, &delay) ||
                   __builtin_sub_overflow(delay, strata_time(), &delay);
    if (is_late) delay = INT64_MAX;
    if (strata_scheduler.enqueue_after(delay < 0 ? 0 : delay, job)) return;
  }
  original(seconds, nanoseconds, tolerance_seconds, tolerance_nanoseconds, clock, job);
}

static SWIFT_CC struct executor main_executor(main_original original) {
  if (!strata_world()) return original();
  return (struct executor){strata_scheduler.main_identity, strata_scheduler.main_implementation};
}

static SWIFT_CC bool is_main_executor(struct executor executor, is_main_original original) {
  return executor.identity == strata_scheduler.main_identity || original(executor);
}

// Other threads read the hooks meanwhile. The scheduler must be there before its hooks.
#define SET_HOOK(hook, function) __atomic_store_n(&hook, function, __ATOMIC_RELEASE)

const char *strata_install(struct strata_scheduler new) {
#if !defined(__linux__)
  return "simulations run on Linux only";
#elif !STRATA_REPLACES
  return "no simulation runs under ThreadSanitizer";
#endif
#define REQUIRE(present, name) \
  if (!(present)) return "the Swift runtime lacks " name
  REQUIRE(&swift_task_enqueueGlobal_hook, "swift_task_enqueueGlobal_hook");
  REQUIRE(&swift_task_enqueueGlobalWithDelay_hook, "swift_task_enqueueGlobalWithDelay_hook");
  REQUIRE(&swift_task_enqueueGlobalWithDeadline_hook, "swift_task_enqueueGlobalWithDeadline_hook");
  REQUIRE(&swift_task_getMainExecutor_hook, "swift_task_getMainExecutor_hook");
  REQUIRE(&swift_task_isMainExecutor_hook, "swift_task_isMainExecutor_hook");
  REQUIRE(swift_job_run, "swift_job_run");
  REQUIRE(swift_task_getJobTaskId, "swift_task_getJobTaskId");
  strata_scheduler = new;
  SET_HOOK(swift_task_enqueueGlobal_hook, enqueue);
  SET_HOOK(swift_task_enqueueGlobalWithDelay_hook, enqueue_after_delay);
  SET_HOOK(swift_task_enqueueGlobalWithDeadline_hook, enqueue_at_deadline);
  SET_HOOK(swift_task_getMainExecutor_hook, main_executor);
  SET_HOOK(swift_task_isMainExecutor_hook, is_main_executor);
  return NULL;
}

void strata_run(void *job) { swift_job_run(job, (struct executor){NULL, 0}); }

uint64_t strata_task_of(void *job) { return swift_task_getJobTaskId(job); }
