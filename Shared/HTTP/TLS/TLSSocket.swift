internal import CGlibcSystem
internal import COpenSSL
internal import Glibc

/// The descriptor under a session, as OpenSSL reads and writes it.
///
/// OpenSSL's own socket learns that nothing is left by one more read, which ends in EAGAIN. Here a
/// read that comes back short has emptied the socket, as in `Transport`, and a session with whole
/// records asks no more. One with a part of a record does, and is answered by the system: a reset
/// behind that part may make no edge of its own.
@safe final class TLSSocket {
    private let descriptor: Int32
    /// Nothing is left in the socket since the last read; an edge will tell of more.
    private(set) var isEmpty = false
    /// The peer's end may have come without an edge of its own: the socket is read to it.
    private var peerClosed = false
    fileprivate var hasEnded = false

    init(descriptor: Int32) { self.descriptor = descriptor }

    // Safety: the session frees the SSL, and this BIO with it, before it lets go of the socket.
    /// Puts itself under a session; false: OpenSSL has no memory.
    func attach(to ssl: OpaquePointer) -> Bool {
        guard let method = unsafe OpaquePointer(bitPattern: method),
            let bio = unsafe BIO_new(method)
        else { return false }
        unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
        unsafe BIO_set_init(bio, 1)
        unsafe SSL_set_bio(ssl, bio, bio)
        return true
    }

    func mayHaveCome(peerClosed: Bool) {
        isEmpty = false
        if peerClosed { self.peerClosed = true }
    }

    /// As `recv`; nil: nothing is there.
    fileprivate func read(_ bytes: UnsafeMutablePointer<CChar>?, _ room: Int) -> Int? {
        while true {
            let count = unsafe recv(descriptor, bytes, room, 0)
            if count > 0 {
                if count < room, !peerClosed { isEmpty = true }
            } else if count == 0 {
                hasEnded = true
            } else if errno == EINTR {
                continue
            } else if errno == EAGAIN {
                isEmpty = true
                return nil
            }
            return count
        }
    }

    /// As `send`; nil: nothing is taken now.
    fileprivate func write(_ bytes: UnsafePointer<CChar>?, _ count: Int) -> Int? {
        while true {
            let sent = unsafe send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
            if sent >= 0 { return sent }
            if errno == EAGAIN { return nil }
            if errno != EINTR { return sent }
        }
    }
}

// Safety: OpenSSL hands over the BIO that `attach` made, whose data is a socket that lives, and
// bytes that are good for as many as it says.
private func socket(of bio: OpaquePointer?) -> TLSSocket? {
    guard let data = unsafe BIO_get_data(bio) else { return nil }
    return unsafe Unmanaged<TLSSocket>.fromOpaque(data).takeUnretainedValue()
}

private func readSocket(
    _ bio: OpaquePointer?,
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ room: Int32
) -> Int32 {
    guard let socket = unsafe socket(of: bio) else { return -1 }
    unsafe BIO_clear_flags(bio, retryFlags)
    if let count = unsafe socket.read(bytes, Int(room)) { return Int32(clamping: count) }
    unsafe BIO_set_flags(bio, BIO_FLAGS_READ | BIO_FLAGS_SHOULD_RETRY)
    return -1
}

private func writeSocket(
    _ bio: OpaquePointer?,
    _ bytes: UnsafePointer<CChar>?,
    _ count: Int32
) -> Int32 {
    guard let socket = unsafe socket(of: bio) else { return -1 }
    unsafe BIO_clear_flags(bio, retryFlags)
    if let sent = unsafe socket.write(bytes, Int(count)) { return Int32(clamping: sent) }
    unsafe BIO_set_flags(bio, BIO_FLAGS_WRITE | BIO_FLAGS_SHOULD_RETRY)
    return -1
}

/// Nothing is held back, so there is nothing to flush; the end without close_notify is a fault that
/// OpenSSL asks about, and of kTLS and the rest there is none.
private func controlSocket(
    _ bio: OpaquePointer?,
    _ command: Int32,
    _: Int,
    _: UnsafeMutableRawPointer?
) -> Int {
    switch command {
    case BIO_CTRL_FLUSH: 1
    case BIO_CTRL_EOF: unsafe socket(of: bio)?.hasEnded == true ? 1 : 0
    default: 0
    }
}

private let retryFlags =
    BIO_FLAGS_READ | BIO_FLAGS_WRITE | BIO_FLAGS_IO_SPECIAL | BIO_FLAGS_SHOULD_RETRY

// Safety: made once, whole before anybody has it, and never changed or freed; its bits are kept, as
// those of a context are.
/// What OpenSSL calls for every socket here; 0 where it has no memory.
private let method: UInt = {
    let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
    guard let method = unsafe BIO_meth_new(kind, "socket of a loop") else { return 0 }
    unsafe BIO_meth_set_read(method, readSocket)
    unsafe BIO_meth_set_write(method, writeSocket)
    unsafe BIO_meth_set_ctrl(method, controlSocket)
    return UInt(bitPattern: method)
}()
