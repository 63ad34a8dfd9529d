internal import CGD
internal import Glibc

// Safety: descriptors belong to one call, which closes them; buffers are lent for one call; what
// is given to posix_spawn is copied by it.

extension RenderedPicture {
    /// Gives bytes to the other process and reads all that it answers; empty where it failed.
    static func exchange(
        _ bytes: [UInt8],
        with executable: String
    ) throws(Failure) -> [UInt8] {
        var sockets: [Int32] = [-1, -1]
        guard
            unsafe socketpair(
                AF_UNIX,
                Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue),
                0,
                &sockets
            ) == 0
        else { throw .broken }
        let (ours, theirs) = (sockets[0], sockets[1])
        defer { close(ours) }
        let child = spawn(executable, on: theirs)
        close(theirs)
        guard let child else { throw .broken }
        let answer = converse(ours, bytes)
        // It is over, or takes too long.
        if answer == nil { kill(child, SIGKILL) }
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status == 0 ? answer ?? [] : []
    }

    private static func spawn(_ executable: String, on socket: Int32) -> pid_t? {
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe _ = posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, socket, 1)
        // Neither our connections nor our secrets go with it.
        unsafe ezwallet_close_from(&actions, 3)
        var words: [UnsafeMutablePointer<CChar>?] = unsafe [
            strdup(executable), strdup(argument), nil,
        ]
        defer { unsafe words.forEach { unsafe free($0) } }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        var child: pid_t = 0
        let result = unsafe posix_spawn(
            &child,
            executable,
            &actions,
            nil,
            &words,
            &environment
        )
        return result == 0 ? child : nil
    }

    /// Nil where the time is over.
    private static func converse(_ socket: Int32, _ bytes: [UInt8]) -> [UInt8]? {
        var sent = 0
        var answer: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let end = milliseconds() + Int64(waitMilliseconds)
        while true {
            let left = end - milliseconds()
            guard left > 0 else { return nil }
            var watched = pollfd(
                fd: socket,
                events: Int16(POLLIN) | (sent < bytes.count ? Int16(POLLOUT) : 0),
                revents: 0
            )
            guard unsafe poll(&watched, 1, Int32(left)) != 0 else { return nil }
            if Int32(watched.revents) & POLLOUT != 0, sent < bytes.count {
                let count = unsafe bytes[sent...].withUnsafeBytes { rest in
                    unsafe send(
                        socket,
                        rest.baseAddress,
                        rest.count,
                        Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
                    )
                }
                // It may end before it has read everything: then it has nothing to say.
                if count > 0 { sent += count } else if errno != EAGAIN { sent = bytes.count }
                if sent == bytes.count { shutdown(socket, Int32(SHUT_WR)) }
            }
            if Int32(watched.revents) & (POLLIN | POLLHUP | POLLERR) != 0 {
                let count = unsafe recv(
                    socket,
                    &buffer,
                    buffer.count,
                    Int32(MSG_DONTWAIT)
                )
                if count > 0 {
                    answer += buffer[..<count]
                } else if count == 0 || (errno != EAGAIN && errno != EINTR) {
                    return answer
                }
            }
        }
    }

    private static func milliseconds() -> Int64 {
        var now = timespec()
        unsafe _ = clock_gettime(CLOCK_MONOTONIC, &now)
        return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
    }
}
