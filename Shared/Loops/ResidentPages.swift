import Glibc

/// Lets go of what only the start needed: pages of code, and freed memory.
///
/// The start walks through most of the executable and its libraries once (symbols, protocol
/// conformances, routes); half of that nobody runs again. What is run comes back from the file,
/// which is in the system's cache, at half a microsecond a page.
/// Source: madvise(2), MADV_DONTNEED; proc_pid_smaps(5).
public func releaseStartPages() {
    giveBackFreeMemory()
    var mapping: (begin: UInt, length: Int)?
    for line in text(of: "/proc/self/smaps").split(separator: "\n") {
        let words = line.split(separator: " ")
        if words.count > 1, words[0].contains("-") {
            mapping =
                words.count > 5 && words[1] == "r-xp" && words[5].first == "/"
                ? range(words[0]) : nil
        } else if words.first == "Anonymous:", let (begin, length) = mapping {
            // Code that was changed when it was loaded would be lost.
            guard words[1] == "0" else { continue }
            // Safety: what is mapped there is what its file holds, and nobody may write it.
            unsafe _ = madvise(UnsafeMutableRawPointer(bitPattern: begin), length, MADV_DONTNEED)
        }
    }
}

private func range(_ text: Substring) -> (begin: UInt, length: Int)? {
    let ends = text.split(separator: "-").compactMap { UInt($0, radix: 16) }
    guard ends.count == 2, ends[0] < ends[1] else { return nil }
    return (ends[0], Int(ends[1] - ends[0]))
}

private func text(of file: String) -> String {
    // Safety: the name is a string of ours.
    let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return "" }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var part = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = unsafe part.withUnsafeMutableBytes { buffer in
            // Safety: the buffer is as long as is said.
            unsafe read(descriptor, buffer.baseAddress, buffer.count)
        }
        guard count > 0 else { break }
        bytes += part[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
}
