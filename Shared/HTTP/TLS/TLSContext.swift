internal import COpenSSL
internal import Synchronization

// Safety: an SSL_CTX is reference-counted and safe to share once set up; the pointer is swapped
// under the Mutex.
/// Certificates and rules of TLS, shared by all loops; a reload is in force for new connections.
///
/// TLS 1.2 and 1.3, forward-secret AEAD suites alone, no renegotiation, no early data, no
/// compression; tickets under keys that all loops share. Source: RFC 9325.
@safe public final class TLSContext: @unchecked Sendable {
    /// What went wrong while it was set up; told to the operator.
    public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
        /// OpenSSL's words.
        public let description: String
    }

    private let current: Mutex<UInt>
    private let certificateFile: String?
    private let keyFile: String?
    private let ticketKeys: TicketKeys?

    /// A server's context: a certificate chain and its key, both PEM.
    ///
    /// Tickets are good on every loop, beyond a reload, and on each replica that has the same
    /// secret in its `ticketKeys`.
    public init(
        certificateFile: String,
        keyFile: String,
        ticketKeys: TicketKeys = TicketKeys()
    ) throws(ConfigurationError) {
        self.certificateFile = certificateFile
        self.keyFile = keyFile
        self.ticketKeys = ticketKeys
        current = Mutex(0)
        try reload()
    }

    /// A client's context: trusts the authorities in `authorityFile`, or the system's.
    public init(trusting authorityFile: String?) throws(ConfigurationError) {
        certificateFile = nil
        keyFile = nil
        ticketKeys = nil
        let context = unsafe try Self.make(server: false)
        if let authorityFile {
            guard unsafe SSL_CTX_load_verify_locations(context, authorityFile, nil) == 1 else {
                throw Self.failure("the authorities in \(authorityFile) cannot be read")
            }
        } else {
            unsafe _ = SSL_CTX_set_default_verify_paths(context)
        }
        unsafe SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nil)
        let offered: [UInt8] = [8] + Array("http/1.1".utf8)
        unsafe _ = SSL_CTX_set_alpn_protos(context, offered, UInt32(offered.count))
        current = Mutex(UInt(bitPattern: context))
    }

    deinit {
        let bits = current.withLock { $0 }
        unsafe SSL_CTX_free(OpaquePointer(bitPattern: bits))
    }

    /// Reads certificate and key again; the old ones stay in force where that fails.
    public func reload() throws(ConfigurationError) {
        guard let certificateFile, let keyFile else { return }
        let context = unsafe try Self.make(server: true)
        guard unsafe SSL_CTX_use_certificate_chain_file(context, certificateFile) == 1 else {
            unsafe SSL_CTX_free(context)
            throw Self.failure("the certificate \(certificateFile) cannot be read")
        }
        guard unsafe SSL_CTX_use_PrivateKey_file(context, keyFile, SSL_FILETYPE_PEM) == 1,
            unsafe SSL_CTX_check_private_key(context) == 1
        else {
            unsafe SSL_CTX_free(context)
            throw Self.failure("the key \(keyFile) cannot be read or is not the certificate's")
        }
        // Safety: the context holds the reference until OpenSSL frees it with its last session.
        if let ticketKeys {
            unsafe _ = SSL_CTX_set_ex_data(
                context,
                ticketKeysIndex,
                Unmanaged.passRetained(ticketKeys).toOpaque()
            )
            unsafe _ = SSL_CTX_set_tlsext_ticket_key_evp_cb(context, ticketKeyCallback)
        }
        unsafe SSL_CTX_set_alpn_select_cb(context, selectProtocol, nil)
        let old = current.withLock { bits in
            let old = bits
            bits = UInt(bitPattern: context)
            return old
        }
        // Sessions under way hold references of their own.
        if old != 0 { unsafe SSL_CTX_free(OpaquePointer(bitPattern: old)) }
    }

    /// A new session over a connected descriptor.
    func session(
        descriptor: Int32,
        isServer: Bool,
        serverName: String? = nil,
        earlier: SavedSession? = nil
    ) -> TLSSession? {
        // A reload on another thread must not free the context while a session is made of it.
        let bits = current.withLock { bits in
            if let context = unsafe OpaquePointer(bitPattern: bits) {
                unsafe _ = SSL_CTX_up_ref(context)
            }
            return bits
        }
        guard let context = unsafe OpaquePointer(bitPattern: bits) else { return nil }
        defer { unsafe SSL_CTX_free(context) }
        // A session that cannot be made frees what it was made of.
        guard let ssl = unsafe SSL_new(context),
            let session = unsafe TLSSession(ssl, descriptor: descriptor)
        else { return nil }
        if isServer {
            unsafe SSL_set_accept_state(ssl)
        } else {
            unsafe SSL_set_connect_state(ssl)
            unsafe Self.expect(serverName, from: ssl)
            if let earlier { unsafe _ = SSL_set_session(ssl, earlier.pointer) }
        }
        return session
    }

    /// The certificate has to name this host, or have this address.
    private static func expect(_ name: String?, from ssl: OpaquePointer) {
        guard let name else { return }
        let isAddress = SocketAddress(host: name, port: 0) != nil && name != "localhost"
        if isAddress {
            unsafe _ = X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), name)
        } else {
            unsafe _ = ezwallet_set_server_name(ssl, name)
            unsafe _ = SSL_set1_host(ssl, name)
        }
    }

    private static func make(server: Bool) throws(ConfigurationError) -> OpaquePointer {
        guard
            let context = unsafe SSL_CTX_new(server ? TLS_server_method() : TLS_client_method())
        else { throw failure("no TLS context") }
        unsafe ezwallet_configure_tls(context, server ? 1 : 0)
        return unsafe context
    }

    private static func failure(_ what: String) -> ConfigurationError {
        var text = [CChar](repeating: 0, count: 256)
        unsafe ERR_error_string_n(ERR_get_error(), &text, text.count)
        let reason = String(
            decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) },
            as: UTF8.self
        )
        return ConfigurationError(description: "\(what): \(reason)")
    }
}

// Safety: the list is `length` bytes long and lives through the handshake.
/// Of what the client offers, HTTP/1.1; a client that offers other protocols only is refused.
///
/// Source: RFC 7301, 3.2.
private func selectProtocol(
    _: OpaquePointer?,
    _ selected: UnsafeMutablePointer<UnsafePointer<UInt8>?>?,
    _ selectedLength: UnsafeMutablePointer<UInt8>?,
    _ offered: UnsafePointer<UInt8>?,
    _ length: UInt32,
    _: UnsafeMutableRawPointer?
) -> Int32 {
    guard let offered = unsafe offered else { return SSL_TLSEXT_ERR_NOACK }
    var index = 0
    while index < Int(length) {
        let count = unsafe Int(offered[index])
        let name = unsafe UnsafeBufferPointer(start: offered + index + 1, count: count)
        if index + 1 + count <= Int(length), unsafe name.elementsEqual("http/1.1".utf8) {
            unsafe selected?.pointee = offered + index + 1
            unsafe selectedLength?.pointee = UInt8(count)
            return SSL_TLSEXT_ERR_OK
        }
        index += 1 + count
    }
    return SSL_TLSEXT_ERR_ALERT_FATAL
}
