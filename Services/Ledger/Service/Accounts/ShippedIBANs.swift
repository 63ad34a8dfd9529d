import BankFiles

extension IBANRegistry {
    /// The process's own, with the file that was compiled in: read on first use, at start.
    static func shared() throws -> IBANRegistry { try shipped.get() }

    private static let shipped = Result {
        try IBANRegistry(json: try ShippedData.file("iban.json"))
    }
}
