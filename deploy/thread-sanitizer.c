// Shows the thread sanitizer what a contended Mutex of Swift does: then the standard library's own
// code, which is not instrumented, takes and gives the lock, and whatever it guards would be
// reported as a race. And what a continuation does that is resumed before its task has come to wait
// for it: the task goes on at once then, by an atomic of the runtime alone. Loaded before all else by
// `deploy/test --deep`.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *

// Absent where there is no sanitizer: in the processes that start the tests.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

SWIFT void lock(unsigned thread, SELF mutex) __asm__(LOCK);
SWIFT bool try_lock(SELF mutex) __asm__(TRY_LOCK);
SWIFT void unlock(SELF mutex) __asm__(UNLOCK);

SWIFT void lock(unsigned thread, SELF mutex) {
    SWIFT void (*own)(unsigned, SELF) = (SWIFT void (*)(unsigned, SELF))dlsym(RTLD_NEXT, LOCK);
    own(thread, mutex);
    if (__tsan_acquire) __tsan_acquire(mutex);
}

SWIFT bool try_lock(SELF mutex) {
    SWIFT bool (*own)(SELF) = (SWIFT bool (*)(SELF))dlsym(RTLD_NEXT, TRY_LOCK);
    bool taken = own(mutex);
    if (taken && __tsan_acquire) __tsan_acquire(mutex);
    return taken;
}

SWIFT void unlock(SELF mutex) {
    SWIFT void (*own)(SELF) = (SWIFT void (*)(SELF))dlsym(RTLD_NEXT, UNLOCK);
    if (__tsan_release) __tsan_release(mutex);
    own(mutex);
}

__attribute__((weak)) void *swift_task_getCurrent(void);
SWIFT void swift_continuation_resume(void *task);
SWIFT void swift_continuation_throwingResume(void *task);
SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error);
__attribute__((swiftasynccall)) void swift_continuation_await(void *context);

typedef SWIFT void (*resume)(void *);

SWIFT void swift_continuation_resume(void *task) {
    if (__tsan_release) __tsan_release(task);
    ((resume)dlsym(RTLD_NEXT, "swift_continuation_resume"))(task);
}

SWIFT void swift_continuation_throwingResume(void *task) {
    if (__tsan_release) __tsan_release(task);
    ((resume)dlsym(RTLD_NEXT, "swift_continuation_throwingResume"))(task);
}

SWIFT void swift_continuation_throwingResumeWithError(void *task, void *error) {
    SWIFT void (*own)(void *, void *) = (SWIFT void (*)(void *, void *))dlsym(
        RTLD_NEXT, "swift_continuation_throwingResumeWithError");
    if (__tsan_release) __tsan_release(task);
    own(task, error);
}

__attribute__((swiftasynccall)) void swift_continuation_await(void *context) {
    __attribute__((swiftasynccall)) void (*own)(void *) =
        (__attribute__((swiftasynccall)) void (*)(void *))dlsym(
            RTLD_NEXT, "swift_continuation_await");
    if (__tsan_acquire && swift_task_getCurrent) __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return own(context);
}
