import WalletProtocol

/// What is wrong with a body, told at once.
extension [FieldError] {
    mutating func note(_ pointer: String, _ code: FieldCode, _ detail: String) {
        append(FieldError(pointer: pointer, code: code, detail: detail))
    }

    /// - Throws: 422 where anything is wrong.
    func check() throws(APIError) {
        guard isEmpty else { throw APIError(.invalidBody, errors: self) }
    }
}
