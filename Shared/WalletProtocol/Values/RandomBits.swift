internal import CGlibcSystem
internal import Glibc

/// Random bits for identifiers: the system's own, asked for many at a time.
///
/// They are no weaker for that: every one comes of `getrandom`, is handed out once and wiped, so
/// that memory that is read later tells nothing of identifiers made before. A buffer belongs to
/// one thread, and no process here forks without running another program: two that go on with the
/// same buffer would make the same identifiers. For names alone; keys, codes and tokens take
/// theirs from `Crypto.randomBytes`, each at its time.
final class RandomBits {
    /// 2 KiB: an identifier costs 20 ns in place of 380, and the one that fills waits 5 µs.
    static let wordsMax = 256

    /// What was drawn; zero where it has been handed out.
    private(set) var words = [UInt64](repeating: 0, count: wordsMax)
    private var left = 0
    private let draw: (inout [UInt64]) -> Void

    /// Nothing drawn yet.
    init(draw: @escaping (inout [UInt64]) -> Void = drawFromSystem) { self.draw = draw }

    func next() -> UInt64 {
        if left == 0 {
            draw(&words)
            left = words.count
        }
        left -= 1
        defer { words[left] = 0 }
        return words[left]
    }

    /// The next bits of this thread's buffer.
    static func next() -> UInt64 { ofThread.next() }

    // Safety: what the thread keeps under the key is a buffer that it holds a reference of, which
    // is given up when it ends; no other thread can read it there.
    /// The buffer of this thread, made at its first use.
    static var ofThread: RandomBits {
        if let kept = unsafe pthread_getspecific(key) {
            return unsafe Unmanaged<RandomBits>.fromOpaque(kept).takeUnretainedValue()
        }
        let fresh = RandomBits()
        unsafe pthread_setspecific(key, Unmanaged.passRetained(fresh).toOpaque())
        return fresh
    }
}

/// Fills the words from the system's generator.
private func drawFromSystem(_ words: inout [UInt64]) {
    unsafe words.withUnsafeMutableBytes { bytes in
        var filled = 0
        while filled < bytes.count {
            // Safety: the rest of the words, lent for one call.
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[filled...])
            let count = unsafe getrandom(rest.baseAddress, rest.count, 0)
            // A signal may cut a long one short.
            guard count > 0 else {
                // Cannot fire: nothing comes in; it fails where the system has no randomness, and
                // then no identifier can be made.
                precondition(count < 0 && errno == EINTR, "no random bits")
                continue
            }
            filled += count
        }
    }
}

/// Where each thread keeps its buffer.
private let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key) { kept in
        if let kept = unsafe kept { unsafe Unmanaged<RandomBits>.fromOpaque(kept).release() }
    }
    // Cannot fire: nothing comes in; a process may make 1,024 keys, and makes this one once.
    precondition(status == 0, "no key for what a thread keeps")
    return key
}()
