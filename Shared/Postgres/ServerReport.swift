internal import CLibpq

/// An error result of libpq, read whole.
@safe struct ServerReport {
    private let sqlState: String?
    private let severity: String?
    private let sourceFunction: String?
    private let message: String
    private let constraint: String?
    private let table: String?
    private let column: String?

    init(_ result: OpaquePointer) {
        // Safety: texts are copied out of the result, which its owner clears afterwards.
        unsafe sqlState = field(result, "C")
        unsafe severity = field(result, "V")
        unsafe sourceFunction = field(result, "R")
        unsafe message = field(result, "M") ?? String(cString: PQresultErrorMessage(result))
        unsafe constraint = field(result, "n")
        unsafe table = field(result, "t")
        unsafe column = field(result, "c")
    }

    /// The session is over; an error without a code is libpq's own, of a broken connection.
    var endsSession: Bool {
        sqlState == nil || severity == "FATAL" || severity == "PANIC"
    }

    func error(at statement: String) -> ServerError {
        let state = SQLState(sqlState ?? "")
        // The message of a changed row type comes in the server's language, the function does not.
        let isChangedPlan =
            state.code == "0A000" && sourceFunction == "RevalidateCachedQuery"
        return ServerError(
            sqlState: state,
            message: message,
            constraint: constraint,
            table: table,
            column: column,
            statement: statement,
            isStalePlan: isChangedPlan || state == .noSuchPreparedStatement
        )
    }
}

/// A field of an error by its letter in the protocol («Error and Notice Message Fields»).
private func field(_ result: OpaquePointer, _ letter: Unicode.Scalar) -> String? {
    guard let text = unsafe PQresultErrorField(result, Int32(letter.value)) else { return nil }
    return unsafe String(cString: text)
}
