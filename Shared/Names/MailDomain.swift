internal import CCares
internal import Loops

/// What the DNS says of mail to a domain.
public enum MailDomain: Sendable, Hashable {
    /// There is a host that may take it: by MX, or the domain's own address (RFC 5321, 5.1).
    case takesMail
    /// It says that it takes none (RFC 7505).
    case refusesMail
    /// There is no such domain, or it has neither MX nor address.
    case isAbsent
}

/// The hosts of an answer to a question for MX; none where the name is there without any.
typealias MailHosts = Result<[String], NameError>

/// A question for MX that somebody waits for.
final class MailLookup {
    let wait: Wait<MailHosts>

    init(on loop: EventLoop) { wait = Wait(on: loop) }
}

extension NameResolver {
    /// Whether mail can be sent to a domain; asked anew each time.
    ///
    /// - Throws: where the servers do not answer in time, or badly: then nothing is known.
    public func mailDomain(
        _ domain: String,
        deadline: UInt64
    ) async throws(NameError) -> MailDomain {
        // As it stands: no search list makes another domain of it.
        let name = domain.lowercased()
        let lookup = MailLookup(on: loop)
        do { try askMail(name, lookup) } catch {
            // What is no name is nobody's domain.
            guard error == .notFound else { throw error }
            return .isAbsent
        }
        let timer = loop.schedule(at: deadline) {
            lookup.wait.resume(returning: .failure(.timedOut))
        }
        defer { timer.cancel() }
        let outcome: MailHosts
        do { outcome = try await lookup.wait.value() } catch { outcome = .failure(.cancelled) }
        let hosts: [String]
        switch outcome {
        case .success(let found):
            mailLookupEnded(nil)
            hosts = found
        case .failure(let error):
            mailLookupEnded(error)
            guard error == .notFound else { throw error }
            return .isAbsent
        }
        guard hosts.isEmpty else {
            return hosts.allSatisfy { $0.isEmpty || $0 == "." } ? .refusesMail : .takesMail
        }
        do throws(NameError) {
            _ = try await addresses(of: name + ".", deadline: deadline)
            return .takesMail
        } catch {
            guard error == .notFound else { throw error }
            return .isAbsent
        }
    }
}

/// The end of a question for MX.
func mailAnswered(
    _ context: UnsafeMutableRawPointer?,
    _ status: CInt,
    _ timeouts: CInt,
    _ answer: UnsafeMutablePointer<UInt8>?,
    _ length: CInt
) {
    guard let context = unsafe context else { return }
    // Safety: it was retained for this one call.
    let lookup = unsafe Unmanaged<MailLookup>.fromOpaque(context).takeRetainedValue()
    let hosts: MailHosts
    switch status {
    case ARES_SUCCESS: hosts = unsafe mailHosts(answer, length)
    case ARES_ENODATA: hosts = .success([])
    default: hosts = .failure(nameError(status))
    }
    lookup.wait.resume(returning: hosts)
}

private func mailHosts(_ answer: UnsafeMutablePointer<UInt8>?, _ length: CInt) -> MailHosts {
    var first: UnsafeMutablePointer<ares_mx_reply>?
    let status = unsafe ares_parse_mx_reply(answer, length, &first)
    defer { if let first = unsafe first { unsafe ares_free_data(first) } }
    guard status == ARES_SUCCESS else {
        return status == ARES_ENODATA ? .success([]) : .failure(nameError(status))
    }
    var hosts: [String] = []
    var next = unsafe first
    while let reply = unsafe next {
        hosts.append(unsafe reply.pointee.host.map { unsafe String(cString: $0) } ?? "")
        unsafe next = reply.pointee.next
    }
    return .success(hosts)
}
