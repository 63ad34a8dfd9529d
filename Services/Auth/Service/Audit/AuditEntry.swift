import Loops
import ServiceKit
import WalletProtocol

/// Who did it.
enum AuditActor: Hashable, Sendable {
    case user(ID<User>)
    case service(ServiceName)
    /// Whoever has the command line of a machine of ours.
    case `operator`
    /// Somebody not signed in.
    case anyone

    init(_ caller: Caller) {
        self =
            switch caller {
            case .anyone: .anyone
            case .user(let user): .user(user.id)
            case .service(let service): .service(service)
            }
    }

    var text: String {
        switch self {
        case .user(let id): id.text
        case .service(let service): "service:" + service.rawValue
        case .operator: "operator"
        case .anyone: "anyone"
        }
    }
}

/// From where it was done.
struct AuditOrigin: Hashable, Sendable {
    let addressFamily: String
    let requestID: String?

    /// A request's.
    init<Query, Body>(_ request: Request<Query, Body>) { self.init(address: request.clientAddress) }

    init(address: String) {
        addressFamily = AddressFamily(of: address).rawValue
        requestID = RequestContext.current.map { String($0.requestID.prefix(128)) }
    }

    /// What another service was asked for, within whose request we are called.
    init(_ family: AddressFamily) {
        addressFamily = family.rawValue
        requestID = RequestContext.current.map { String($0.requestID.prefix(128)) }
    }

    private init() {
        addressFamily = "unknown"
        requestID = RequestContext.current.map { String($0.requestID.prefix(128)) }
    }

    /// What no client did: a command, a worker; within a request, whose client is not at hand.
    static var within: AuditOrigin { AuditOrigin() }
}

/// What is told to the audit log.
///
/// `detail` holds facts that are no person's (fields, roles, methods); what is personal (names,
/// addresses) goes to `texts`, which are erased with the subject.
struct AuditEntry: Sendable {
    let action: AuditAction
    let actor: AuditActor
    let subject: ID<User>?
    let detail: [(name: String, value: JSONTree)]
    let texts: [(name: String, value: String)]
    let origin: AuditOrigin

    init(
        _ action: AuditAction,
        by actor: AuditActor,
        of subject: ID<User>?,
        detail: KeyValuePairs<String, JSONTree> = [:],
        texts: KeyValuePairs<String, String> = [:],
        from origin: AuditOrigin = .within
    ) {
        self.action = action
        self.actor = actor
        self.subject = subject
        self.detail = detail.map { ($0.key, $0.value) }
        self.texts = texts.map { ($0.key, $0.value) }
        self.origin = origin
    }
}
