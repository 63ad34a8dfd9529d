internal import COpenSSL

/// One TLS connection over a non-blocking descriptor; belongs to one loop.
///
/// OpenSSL reads ahead, as many records at once as there are: one call of the system a message.
@safe final class TLSSession {
    /// What a call of OpenSSL came to.
    enum Progress {
        case bytes(Int)
        case wantsRead, wantsWrite
        case closed, failed
    }
    /// What a step of the handshake came to.
    enum Handshake { case done, wantsRead, wantsWrite, closed, failed }

    private let ssl: OpaquePointer
    private let socket: TLSSocket
    private var isBroken = false

    // Safety: this object owns the SSL and frees it once, while the socket under it still lives;
    // only its loop's thread touches both.
    /// A session over the socket, which belongs to the caller; nil where OpenSSL has no memory.
    init?(_ ssl: OpaquePointer, descriptor: Int32) {
        unsafe self.ssl = ssl
        socket = TLSSocket(descriptor: descriptor)
        guard unsafe socket.attach(to: ssl) else { return nil }
    }

    deinit { unsafe SSL_free(ssl) }

    /// Told by the loop: something may have come, or the peer's end.
    func mayHaveCome(peerClosed: Bool) { socket.mayHaveCome(peerClosed: peerClosed) }

    /// Whether all that has come was handed out: only an edge can tell of more.
    var isDrained: Bool { unsafe socket.isEmpty && SSL_has_pending(ssl) == 0 }

    func handshake() -> Handshake {
        ERR_clear_error()
        let result = unsafe SSL_do_handshake(ssl)
        if result == 1 { return .done }
        switch outcome(result) {
        case .wantsRead: return .wantsRead
        case .wantsWrite: return .wantsWrite
        case .closed: return .closed
        default: return .failed
        }
    }

    /// Fills the buffer from as many records as are there; `isDrained` tells whether more is.
    ///
    /// OpenSSL keeps what is pending to itself, and no edge would tell of it.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Progress {
        var total = 0
        while total < buffer.count, let base = buffer.baseAddress {
            ERR_clear_error()
            let count = unsafe SSL_read(
                ssl,
                base + total,
                Int32(clamping: buffer.count - total)
            )
            if count > 0 {
                total += Int(count)
                if isDrained { return .bytes(total) }
                continue
            }
            if total > 0 { return .bytes(total) }
            return outcome(count)
        }
        return .bytes(total)
    }

    func write(_ bytes: [UInt8], from start: Int, to end: Int) -> Progress {
        ERR_clear_error()
        let count = unsafe bytes.withUnsafeBytes { buffer -> Int32 in
            guard let base = buffer.baseAddress else { return 0 }
            return unsafe SSL_write(ssl, base + start, Int32(clamping: end - start))
        }
        return count > 0 ? .bytes(Int(count)) : outcome(count)
    }

    private func outcome(_ result: Int32) -> Progress {
        switch unsafe SSL_get_error(ssl, result) {
        case SSL_ERROR_WANT_READ: return .wantsRead
        case SSL_ERROR_WANT_WRITE: return .wantsWrite
        case SSL_ERROR_ZERO_RETURN: return .closed
        case SSL_ERROR_SYSCALL:
            isBroken = true
            return .closed
        default:
            isBroken = true
            return .failed
        }
    }

    /// Whether the handshake took up an earlier session.
    var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }

    /// The session, once the server has given a ticket for it.
    func savedSession() -> SavedSession? {
        guard !isBroken, let session = unsafe SSL_get1_session(ssl) else { return nil }
        let saved = unsafe SavedSession(owning: session)
        return unsafe SSL_SESSION_is_resumable(session) == 1 ? saved : nil
    }

    /// Sends close_notify, unless the connection broke: then OpenSSL forbids it.
    func shutDown() {
        guard !isBroken, unsafe SSL_is_init_finished(ssl) == 1 else { return }
        ERR_clear_error()
        unsafe _ = SSL_shutdown(ssl)
    }
}

// Safety: one reference of OpenSSL's counted session, given back by `deinit`.
/// A client's session, to be taken up by the next connection to the same server.
@safe final class SavedSession {
    let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) { unsafe self.pointer = pointer }

    deinit { unsafe SSL_SESSION_free(pointer) }
}
