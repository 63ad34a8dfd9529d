internal import CNats

/// What can go wrong between us and the broker.
public enum NatsError: Error, Sendable, Equatable {
    /// There is no connection at the moment; it is being made again.
    case disconnected
    /// The connection or subscription was closed by us.
    case closed
    /// The broker did not answer in time.
    case timeout
    /// No such stream, consumer or message, or nobody who stores the subject.
    case notFound
    /// A message is larger than the broker takes.
    case tooLarge
    /// JetStream refused; its error code.
    case jetStream(code: Int)
    /// Any other status of the library, with the call that gave it.
    case failed(status: Int, call: String)
}

/// Turns a status of nats.c into an error; the one place that does.
func check(
    _ status: natsStatus,
    _ call: StaticString,
    _ code: jsErrCode = jsErrCode(0)
) throws(NatsError) {
    guard let error = natsError(status, call, code) else { return }
    throw error
}

/// The error of a status; nil: it is none.
func natsError(
    _ status: natsStatus,
    _ call: StaticString,
    _ code: jsErrCode = jsErrCode(0)
) -> NatsError? {
    switch code {
    case JSStreamNotFoundErr, JSConsumerNotFoundErr, JSNoMessageFoundErr: return .notFound
    default: break
    }
    switch status {
    case NATS_OK, NATS_NOT_YET_CONNECTED: return nil
    case NATS_CONNECTION_DISCONNECTED, NATS_NO_SERVER, NATS_IO_ERROR, NATS_STALE_CONNECTION:
        return .disconnected
    case NATS_CONNECTION_CLOSED, NATS_INVALID_SUBSCRIPTION: return .closed
    case NATS_TIMEOUT: return .timeout
    case NATS_NOT_FOUND, NATS_NO_RESPONDERS: return .notFound
    case NATS_MAX_PAYLOAD: return .tooLarge
    default: break
    }
    if code != jsErrCode(0) { return .jetStream(code: Int(code.rawValue)) }
    return .failed(status: Int(status.rawValue), call: call.description)
}
