internal import Glibc

/// Microseconds of UTC since 1970, from the system's clock.
func systemMicroseconds() -> Int64 {
    var now = timespec()
    // Safety: the call fills the structure it is given and keeps nothing of it.
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1_000
}
