package import WalletProtocol

/// A file of one app, of which the header is known.
protocol GroupExportReader {
    /// - Throws: `.unreadable`, beyond the limits of a file.
    func read() throws(UnreadableStatement) -> GroupExport
}

/// Reads another app's export of a group.
///
/// Linear in the size of the file. With no `format` the content decides.
/// - Throws: `.unknownFormat`; `.unreadable`, where the file as a whole cannot be read.
package func readGroupExport(
    _ bytes: [UInt8],
    format: GroupImportFormat?,
    assuming currency: AssumedCurrency?
) throws(UnreadableStatement) -> GroupExport {
    guard bytes.count <= GroupImports.fileMax else {
        throw .unreadable(line: 1, detail: "the file is larger than 5 MiB")
    }
    let text = CSVText(bytes, nil).bytes
    // Splitwise's headers are known by their shape only, so that all others are tried before it.
    let order: [GroupImportFormat] = [
        .ezwallet, .cospend, .splitpro, .spliit, .splitwise, .tricount, .sesterce,
    ]
    for known in order where format == nil || format == known {
        if let found = try reader(of: known, text, currency) { return try found.read() }
    }
    for other in order where format != nil && format != other {
        guard try reader(of: other, text, currency) != nil else { continue }
        throw .unknownFormat("this is a file of \(other.app), not of \(format?.app ?? "")")
    }
    throw .unknownFormat(GroupFileKind.detail(of: bytes, text))
}

/// nil where the text is no file of the app.
private func reader(
    of format: GroupImportFormat,
    _ text: [UInt8],
    _ currency: AssumedCurrency?
) throws(UnreadableStatement) -> (any GroupExportReader)? {
    switch format {
    case .splitwise: try SplitwiseTable(text)
    case .tricount: try SidesTable(text, .tricount, currency)
    case .sesterce: try SidesTable(text, .sesterce, currency)
    case .ezwallet: try SidesTable(text, .ezwallet, currency)
    case .spliit: try SpliitTable(text, currency)
    case .cospend: try CospendFile(text, currency)
    case .splitpro: try SplitProTable(text, currency)
    }
}

extension GroupImportFormat {
    /// What the app is called.
    var app: String {
        switch self {
        case .splitwise: "Splitwise"
        case .tricount: "Tricount"
        case .spliit: "Spliit"
        case .sesterce: "Sesterce"
        case .cospend: "Cospend"
        case .splitpro: "SplitPro"
        case .ezwallet: "EZWallet"
        }
    }
}
