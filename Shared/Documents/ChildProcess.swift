internal import CGlibcSystem
internal import Glibc
internal import Loops
internal import Synchronization

// Safety: what is given to posix_spawn is copied by it; the status is lent for one call.

/// Another process of ours, with one socket for all that it reads and writes.
final class ChildProcess: Sendable {
    /// Its number, until it has been reaped: afterwards the number may be another's.
    private let number: Mutex<pid_t?>

    /// Starts a program with one argument, no environment, and no descriptor but the socket.
    init?(_ executable: String, _ argument: String, on socket: Int32) {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, 1)
        // Neither our connections nor our secrets go with it.
        unsafe posix_spawn_file_actions_addclosefrom_np(&actions, 3)
        var words: [UnsafeMutablePointer<CChar>?] = unsafe [
            strdup(executable), strdup(argument), nil,
        ]
        defer { unsafe words.forEach { unsafe free($0) } }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        var child: pid_t = 0
        guard
            unsafe posix_spawn(&child, executable, &actions, nil, &words, &environment) == 0
        else { return nil }
        number = Mutex(child)
        let started = child
        startThread(stackBytes: 65_536) { [self] in reap(started) }
    }

    /// Waits on a thread of its own until the process has ended.
    private func reap(_ child: pid_t) {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(child), &information, WEXITED | WNOWAIT) < 0,
            errno == EINTR
        {}
        number.withLock { number in
            var status: Int32 = 0
            while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
            number = nil
        }
    }

    /// Ends it, where it has not ended.
    func end() {
        number.withLock { number in
            if let number { kill(number, SIGKILL) }
        }
    }
}
