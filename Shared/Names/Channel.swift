internal import CCares
internal import CGlibcSystem
internal import Loops

/// c-ares's channel on a loop: its sockets watched, its time-outs on the loop's timer.
///
/// It owns the channel alone; on-loop only. Invariants:
/// - a socket is watched from when c-ares opens it until just before c-ares closes it;
/// - every query ends exactly once, at the latest when the channel is destroyed.
@safe final class Channel {
    private var handle: OpaquePointer?
    private let sockets: Sockets
    private let loop: EventLoop
    private var timer: LoopTimer?

    /// Nil: c-ares could not read its files, or had no memory.
    init?(_ configuration: ResolverConfiguration, on loop: EventLoop) {
        guard Self.isLibraryReady else { return nil }
        self.loop = loop
        sockets = Sockets(loop)
        var options = unsafe ares_options()
        unsafe options.timeout = configuration.tryMilliseconds
        unsafe options.tries = configuration.tries
        unsafe options.udp_port = configuration.serverPort
        unsafe options.tcp_port = configuration.serverPort
        unsafe options.sock_state_cb = socketChanged
        // Safety: `sockets` lives as long as this object, which destroys the channel before.
        unsafe options.sock_state_cb_data = Unmanaged.passUnretained(sockets).toOpaque()
        let mask =
            ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES | ARES_OPT_UDP_PORT | ARES_OPT_TCP_PORT
            | ARES_OPT_SOCK_STATE_CB | ARES_OPT_LOOKUPS | ARES_OPT_RESOLVCONF
        // c-ares copies the texts.
        let files = unsafe strdup(configuration.serversFile)
        // The hosts file first, then the servers.
        let lookups = unsafe strdup("fb")
        defer {
            unsafe free(files)
            unsafe free(lookups)
        }
        unsafe options.resolvconf_path = files
        unsafe options.lookups = lookups
        let status = unsafe ares_init_options(&handle, &options, mask)
        guard status == ARES_SUCCESS, unsafe handle != nil else { return nil }
        sockets.ready = { [weak self] readable, writable in
            self?.process(readable, writable)
        }
        sockets.loopEnded = { [weak self] in self?.close() }
    }

    /// c-ares wants to be initialised once, before there are threads that use it.
    private static let isLibraryReady = ares_library_init(ARES_LIB_INIT_ALL) == 0

    deinit { close() }

    /// Ends what is under way as cancelled.
    func close() {
        timer?.cancel()
        timer = nil
        guard let handle = unsafe handle else { return }
        unsafe self.handle = nil
        unsafe ares_destroy(handle)
    }

    /// Asks for all addresses of `host`; `lookup` may end before this returns.
    func ask(_ host: String, _ lookup: Lookup) {
        guard let handle = unsafe handle else { return lookup.end(.failure(.cancelled)) }
        var hints = ares_addrinfo_hints()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        // Unsorted: c-ares would connect a socket to each address to see which are routed.
        hints.ai_flags = ARES_AI_NOSORT
        // Safety: c-ares calls back once for each query, which lets go of what is held here.
        let context = unsafe Unmanaged.passRetained(lookup).toOpaque()
        unsafe ares_getaddrinfo(handle, host, nil, &hints, answered, context)
        armTimer()
    }

    /// Asks for the hosts that take a domain's mail; `lookup` may end before this returns.
    func askMail(_ domain: String, _ lookup: MailLookup) {
        guard let handle = unsafe handle else {
            lookup.wait.resume(returning: .failure(.cancelled))
            return
        }
        // Safety: c-ares calls back once for each query, which lets go of what is held here.
        let context = unsafe Unmanaged.passRetained(lookup).toOpaque()
        unsafe ares_query(
            handle,
            domain,
            CInt(ns_c_in.rawValue),
            CInt(ns_t_mx.rawValue),
            mailAnswered,
            context
        )
        armTimer()
    }

    private func process(_ readable: CInt, _ writable: CInt) {
        guard let handle = unsafe handle else { return }
        unsafe ares_process_fd(handle, readable, writable)
        armTimer()
    }

    private func armTimer() {
        timer?.cancel()
        timer = nil
        guard let handle = unsafe handle else { return }
        var wait = timeval()
        guard unsafe ares_timeout(handle, nil, &wait) != nil else { return }
        let nanoseconds = UInt64(max(0, wait.tv_sec)) * 1_000_000_000
        let rest = UInt64(max(0, wait.tv_usec)) * 1_000
        // A millisecond more: c-ares ends only what is over its time.
        timer = loop.schedule(afterNanoseconds: nanoseconds + rest + 1_000_000) { [weak self] in
            self?.timer = nil
            self?.process(noSocket, noSocket)
        }
    }
}

/// `ARES_SOCKET_BAD`, a macro that is not imported.
private let noSocket: CInt = -1

/// The watches of a channel's sockets.
private final class Sockets {
    private let loop: EventLoop
    private var watches: [CInt: DescriptorWatch] = [:]
    var ready: ((_ readable: CInt, _ writable: CInt) -> Void)?
    var loopEnded: (() -> Void)?

    init(_ loop: EventLoop) { self.loop = loop }

    func change(_ descriptor: CInt, to interest: Readiness) {
        if interest.isEmpty {
            watches.removeValue(forKey: descriptor)?.cancel()
        } else if let watch = watches[descriptor] {
            watch.change(to: interest)
        } else {
            let watch = DescriptorWatch(descriptor, on: loop, edgeTriggered: false)
            watches[descriptor] = watch
            let ended: () -> Void = { [weak self] in self?.loopEnded?() }
            watch.start(for: interest, whenLoopEnds: ended) { [weak self] readiness in
                self?.ready?(
                    readiness.contains(.readable) ? descriptor : noSocket,
                    readiness.contains(.writable) ? descriptor : noSocket
                )
            }
        }
    }
}

/// c-ares wants a socket looked at otherwise; in neither direction: it is about to close it.
private func socketChanged(
    _ context: UnsafeMutableRawPointer?,
    _ descriptor: CInt,
    _ reads: CInt,
    _ writes: CInt
) {
    guard let context = unsafe context else { return }
    var interest: Readiness = []
    if reads != 0 { interest.insert(.readable) }
    if writes != 0 { interest.insert(.writable) }
    // Safety: the channel's owner keeps the sockets for as long as the channel lives.
    let sockets = unsafe Unmanaged<Sockets>.fromOpaque(context).takeUnretainedValue()
    sockets.change(descriptor, to: interest)
}

/// The end of a query.
private func answered(
    _ context: UnsafeMutableRawPointer?,
    _ status: CInt,
    _ timeouts: CInt,
    _ result: UnsafeMutablePointer<ares_addrinfo>?
) {
    guard let context = unsafe context else { return }
    // Safety: it was retained for this one call.
    let lookup = unsafe Unmanaged<Lookup>.fromOpaque(context).takeRetainedValue()
    let addresses = unsafe result.map { unsafe read($0) } ?? []
    unsafe ares_freeaddrinfo(result)
    lookup.end(outcome(status, addresses))
}

private func outcome(_ status: CInt, _ addresses: [NumericAddress]) -> Outcome {
    switch status {
    case ARES_SUCCESS:
        addresses.isEmpty ? .failure(.notFound) : .success(addresses)
    default: .failure(nameError(status))
    }
}

/// What a status other than success says.
func nameError(_ status: CInt) -> NameError {
    switch status {
    case ARES_ENOTFOUND, ARES_ENODATA, ARES_EBADNAME: .notFound
    case ARES_ETIMEOUT: .timedOut
    case ARES_ECANCELLED, ARES_EDESTRUCTION: .cancelled
    default: .failed(unsafe String(cString: ares_strerror(status)))
    }
}

/// The addresses, each once, IPv4 first, else in the order of the answer.
private func read(_ result: UnsafeMutablePointer<ares_addrinfo>) -> [NumericAddress] {
    var found: [NumericAddress] = []
    var next = unsafe result.pointee.nodes
    while let node = unsafe next {
        if let address = unsafe read(node.pointee),
            !found.contains(where: { $0.text == address.text })
        {
            found.append(address)
        }
        unsafe next = node.pointee.ai_next
    }
    return found.filter { !$0.isIPv6 } + found.filter(\.isIPv6)
}

private func read(_ node: ares_addrinfo_node) -> NumericAddress? {
    guard let address = unsafe node.ai_addr else { return nil }
    // Safety: the address lies behind family, port and (IPv6) flow information.
    let offset: Int
    switch unsafe node.ai_family {
    case AF_INET: offset = 4
    case AF_INET6: offset = 8
    default: return nil
    }
    var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
    let start = unsafe UnsafeRawPointer(address) + offset
    guard unsafe inet_ntop(node.ai_family, start, &text, socklen_t(text.count)) != nil else {
        return nil
    }
    let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return NumericAddress(
        text: String(decoding: bytes, as: UTF8.self),
        secondsToLive: unsafe Int(node.ai_ttl)
    )
}
