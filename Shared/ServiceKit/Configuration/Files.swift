internal import Glibc

// Safety: buffers are arrays of ours, lent to the C call for its duration.

/// The bytes of a small file (a secret, a certificate), or nil where it cannot be read.
public func readFile(_ path: String, bytesMax: Int = 1 << 20) -> [UInt8]? {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4_096)
    while bytes.count <= bytesMax {
        let count = unsafe read(descriptor, &chunk, chunk.count)
        guard count >= 0 else { return nil }
        if count == 0 { return bytes }
        bytes.append(contentsOf: chunk[0..<count])
    }
    return nil
}

/// The process's environment.
public func processEnvironment() -> [String: String] {
    var all: [String: String] = [:]
    var entry = unsafe environ
    while let text = unsafe entry.pointee {
        let line = unsafe String(cString: text)
        if let equals = line.firstIndex(of: "=") {
            all[String(line[..<equals])] = String(line[line.index(after: equals)...])
        }
        unsafe entry += 1
    }
    return all
}

/// Writes a text to a descriptor of the process, whole.
public func writeText(_ text: String, to descriptor: Int32) {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { buffer in
            unsafe write(
                descriptor,
                buffer.baseAddress.map { unsafe $0 + sent },
                buffer.count - sent
            )
        }
        if count > 0 {
            sent += count
        } else if count < 0, errno == EAGAIN {
            // Whoever started us made it non-blocking: wait for room.
            var wanted = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
            unsafe _ = poll(&wanted, 1, 1_000)
        } else if count == 0 || errno != EINTR {
            return
        }
    }
}

/// A password from a file (a trailing newline is cut), or typed at the terminal without echo.
public func readPassword(file: String?) -> String? {
    var bytes: [UInt8]
    if let file {
        guard let content = readFile(file) else { return nil }
        bytes = content
    } else {
        writeText("password: ", to: 2)
        var before = termios()
        let isTerminal = unsafe tcgetattr(0, &before) == 0
        if isTerminal {
            var silent = before
            silent.c_lflag &= ~tcflag_t(ECHO)
            unsafe _ = tcsetattr(0, TCSANOW, &silent)
        }
        bytes = []
        var byte: UInt8 = 0
        while unsafe read(0, &byte, 1) == 1, byte != 0x0a { bytes.append(byte) }
        if isTerminal {
            unsafe _ = tcsetattr(0, TCSANOW, &before)
            writeText("\n", to: 2)
        }
    }
    while let last = bytes.last, last == 0x0a || last == 0x0d { bytes.removeLast() }
    return bytes.isEmpty ? nil : String(validating: bytes, as: UTF8.self)
}
