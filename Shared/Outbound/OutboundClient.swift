internal import CCurl
public import Loops

// Safety: curl's handles belong to one loop; callbacks come on its thread, from calls made here,
// and find this object by a pointer that is good as long as the handle, which `deinit` frees.
/// Requests and mails to the outside, by libcurl's multi interface on one loop.
@safe public final class OutboundClient {
    /// What marks an SMTP reply among the refusals.
    public static let smtpDetail = "SMTP"

    private let loop: EventLoop
    private let multi: UnsafeMutableRawPointer
    private var watches: [Int32: DescriptorWatch] = [:]
    private var timer: LoopTimer?
    private var transfers: [UnsafeMutableRawPointer: Transfer] = unsafe [:]

    /// A client of this loop.
    public init(loop: EventLoop) {
        self.loop = loop
        // Cannot fire: nothing comes in; a loop makes one, which fails without memory alone.
        guard let multi = unsafe curl_multi_init() else {
            preconditionFailure("curl_multi_init failed")
        }
        unsafe self.multi = multi
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ezwallet_multi_socket(multi, socketChanged, context)
        unsafe ezwallet_multi_timer(multi, timerChanged, context)
    }

    deinit {
        for watch in watches.values { watch.cancel() }
        unsafe transfers.keys.forEach { unsafe _ = curl_multi_remove_handle(multi, $0) }
        unsafe curl_multi_cleanup(multi)
        // Last, for curl may have asked for another one meanwhile.
        timer?.cancel()
    }

    /// Sends a request and waits for the whole answer.
    public func request(
        _ request: OutboundRequest
    ) async throws(OutboundError) -> OutboundResponse {
        let transfer = try Transfer(loop: loop, bytesMax: request.responseBytesMax)
        try transfer.url(request.url, protocols: "http,https")
        try transfer.text(CURLOPT_CUSTOMREQUEST, request.method)
        for (name, value) in request.headers { try transfer.header("\(name): \(value)") }
        if let body = request.body { try transfer.body(body) }
        if let file = request.authorityFile { try transfer.text(CURLOPT_CAINFO, file) }
        try await run(transfer, deadline: request.deadline)
        return OutboundResponse(status: transfer.status, body: transfer.received)
    }

    /// Hands a mail over to a server.
    public func sendMail(
        _ mail: MailMessage,
        via server: SMTPServer,
        deadline: UInt64
    ) async throws(OutboundError) {
        let transfer = try Transfer(loop: loop, bytesMax: 65_536)
        try transfer.url(server.url, protocols: "smtp,smtps")
        try transfer.mail(from: mail.from, to: mail.to, try mail.composed())
        if let user = server.user { try transfer.text(CURLOPT_USERNAME, user) }
        if let password = server.password { try transfer.text(CURLOPT_PASSWORD, password) }
        transfer.number(
            CURLOPT_USE_SSL,
            server.requiresTLS ? Int(CURLUSESSL_ALL.rawValue) : Int(CURLUSESSL_TRY.rawValue)
        )
        try await run(transfer, deadline: deadline)
    }

    private func run(_ transfer: Transfer, deadline: UInt64) async throws(OutboundError) {
        let easy = unsafe transfer.easy
        let limit = min(deadline, RequestContext.current?.deadline ?? deadline)
        let now = monotonicNanoseconds()
        guard limit > now else { throw .unreachable("no time is left") }
        transfer.number(CURLOPT_TIMEOUT_MS, Int((limit - now) / 1_000_000 + 1))
        unsafe transfers[easy] = transfer
        defer {
            unsafe transfers[easy] = nil
            unsafe curl_multi_remove_handle(multi, easy)
        }
        unsafe curl_multi_add_handle(multi, easy)
        let result: CURLcode
        do {
            result = try await transfer.done.value()
        } catch {
            throw transfer.hasSentAll ? .interrupted("cancelled") : .unreachable("cancelled")
        }
        if let error = transfer.error(of: result) { throw error }
    }

    // MARK: What curl asks for

    fileprivate func socket(_ descriptor: Int32, _ what: Int32) {
        if what == CURL_POLL_REMOVE {
            watches.removeValue(forKey: descriptor)?.cancel()
            return
        }
        var interest: Loops.Readiness = []
        if what & CURL_POLL_IN != 0 { interest.insert(.readable) }
        if what & CURL_POLL_OUT != 0 { interest.insert(.writable) }
        let watch =
            watches[descriptor] ?? DescriptorWatch(descriptor, on: loop, edgeTriggered: false)
        watches[descriptor] = watch
        // Cannot fire: `deinit` cancels the watches.
        watch.start(for: interest) { [unowned self] readiness in
            var mask: Int32 = 0
            if readiness.contains(.readable) { mask |= CURL_CSELECT_IN }
            if readiness.contains(.writable) { mask |= CURL_CSELECT_OUT }
            act(on: descriptor, mask)
        }
    }

    fileprivate func schedule(milliseconds: Int) {
        timer?.cancel()
        timer = nil
        guard milliseconds >= 0 else { return }
        // Cannot fire: `deinit` cancels the timer.
        timer = loop.schedule(afterNanoseconds: UInt64(milliseconds) * 1_000_000) {
            [unowned self] in act(on: CURL_SOCKET_BAD, 0)
        }
    }

    private func act(on descriptor: Int32, _ mask: Int32) {
        var running: Int32 = 0
        unsafe curl_multi_socket_action(
            multi,
            descriptor == CURL_SOCKET_BAD ? -1 : descriptor,
            mask,
            &running
        )
        var left: Int32 = 0
        while let message = unsafe curl_multi_info_read(multi, &left) {
            guard unsafe message.pointee.msg == CURLMSG_DONE,
                let easy = unsafe message.pointee.easy_handle,
                let transfer = unsafe transfers[easy]
            else { continue }
            transfer.done.resume(returning: unsafe ezwallet_message_result(message))
        }
    }
}

private func socketChanged(
    _: UnsafeMutableRawPointer?,
    descriptor: curl_socket_t,
    what: Int32,
    context: UnsafeMutableRawPointer?,
    _: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    unsafe Unmanaged<OutboundClient>.fromOpaque(context).takeUnretainedValue()
        .socket(descriptor, what)
    return 0
}

private func timerChanged(
    _: UnsafeMutableRawPointer?,
    milliseconds: Int,
    context: UnsafeMutableRawPointer?
) -> Int32 {
    guard let context = unsafe context else { return 0 }
    unsafe Unmanaged<OutboundClient>.fromOpaque(context).takeUnretainedValue()
        .schedule(milliseconds: milliseconds)
    return 0
}
