internal import CCurl
internal import Loops

// Safety: the easy handle, its lists and this object's address live as long as the object, which
// the client keeps until curl has let go of the handle.
/// One request or mail under way.
@safe final class Transfer {
    let easy: UnsafeMutableRawPointer
    let done: Wait<CURLcode>
    private(set) var received: [UInt8] = []
    private var upload: [UInt8] = []
    private var uploaded = 0
    private var isMail = false
    private var isTooLarge = false
    private let bytesMax: Int
    private var headers: UnsafeMutablePointer<curl_slist>?
    private var recipients: UnsafeMutablePointer<curl_slist>?

    init(loop: EventLoop, bytesMax: Int) throws(OutboundError) {
        guard let easy = unsafe curl_easy_init() else { throw .unreachable("curl") }
        unsafe self.easy = easy
        self.bytesMax = bytesMax
        done = Wait(on: loop)
        number(CURLOPT_NOSIGNAL, 1)
        number(CURLOPT_FOLLOWLOCATION, 0)
        number(CURLOPT_CONNECTTIMEOUT_MS, 5_000)
        let context = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe _ = ezwallet_set_data(easy, CURLOPT_WRITEFUNCTION, receive)
        unsafe _ = ezwallet_set_pointer(easy, CURLOPT_WRITEDATA, context)
        unsafe _ = ezwallet_set_data(easy, CURLOPT_READFUNCTION, send)
        unsafe _ = ezwallet_set_pointer(easy, CURLOPT_READDATA, context)
    }

    deinit {
        unsafe curl_easy_cleanup(easy)
        unsafe curl_slist_free_all(headers)
        unsafe curl_slist_free_all(recipients)
    }

    var status: Int { unsafe ezwallet_response_code(easy) }
    var hasSentAll: Bool { uploaded == upload.count && uploaded > 0 }

    func number(_ option: CURLoption, _ value: Int) {
        unsafe _ = ezwallet_set_long(easy, option, value)
    }

    func text(_ option: CURLoption, _ value: String) throws(OutboundError) {
        guard !value.utf8.contains(0), unsafe ezwallet_set_string(easy, option, value) == CURLE_OK
        else { throw .invalid("an option of the request") }
    }

    func url(_ url: String, protocols: String) throws(OutboundError) {
        try text(CURLOPT_URL, url)
        try text(CURLOPT_PROTOCOLS_STR, protocols)
        // A proxy of the environment would see what is only for the provider.
        try text(CURLOPT_PROXY, "")
    }

    /// A field; one that holds a line end is refused.
    func header(_ line: String) throws(OutboundError) {
        guard line.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f }) else {
            throw .invalid("a header")
        }
        unsafe headers = curl_slist_append(headers, line)
        unsafe _ = ezwallet_set_list(easy, CURLOPT_HTTPHEADER, headers)
    }

    func body(_ bytes: [UInt8]) throws(OutboundError) {
        upload = bytes
        number(CURLOPT_POST, 1)
        number(CURLOPT_POSTFIELDSIZE, bytes.count)
        try header("Expect:")
    }

    func mail(from: String, to: String, _ bytes: [UInt8]) throws(OutboundError) {
        isMail = true
        upload = bytes
        number(CURLOPT_UPLOAD, 1)
        try text(CURLOPT_MAIL_FROM, "<\(from)>")
        unsafe recipients = curl_slist_append(recipients, "<\(to)>")
        unsafe _ = ezwallet_set_list(easy, CURLOPT_MAIL_RCPT, recipients)
    }

    fileprivate func take(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard received.count + bytes.count <= bytesMax else {
            isTooLarge = true
            return 0
        }
        unsafe received.append(contentsOf: bytes)
        return bytes.count
    }

    fileprivate func give(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(buffer.count, upload.count - uploaded)
        unsafe buffer.copyBytes(from: upload[uploaded..<uploaded + count])
        uploaded += count
        return count
    }

    /// What curl's result means, or nil where all went well.
    func error(of result: CURLcode) -> OutboundError? {
        if isTooLarge { return .tooLarge }
        let words = unsafe String(cString: curl_easy_strerror(result))
        switch result {
        case CURLE_OK:
            return nil
        case CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL:
            return .invalid(words)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_SSL_CONNECT_ERROR,
            CURLE_PEER_FAILED_VERIFICATION, CURLE_USE_SSL_FAILED:
            return .unreachable(words)
        case CURLE_LOGIN_DENIED:
            // Our own credentials: an operator mends them, and what waits must not be lost.
            return .unreachable(words)
        default:
            if isMail, status >= 400 {
                return .refused(status: status, detail: OutboundClient.smtpDetail)
            }
            return hasSentAll ? .interrupted(words) : .unreachable(words)
        }
    }
}

private func receive(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context, let bytes = unsafe bytes else { return 0 }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    return unsafe transfer.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
}

private func send(
    _ bytes: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let context = unsafe context, let bytes = unsafe bytes else { return 0 }
    let transfer = unsafe Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    return unsafe transfer.give(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
}
