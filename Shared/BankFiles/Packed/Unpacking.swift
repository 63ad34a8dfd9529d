import Archives

/// Takes statements out of what they are packed in: gzip, ZIP of one or more, an XLSX workbook.
enum Unpacking {
    /// Of all that is unpacked of one file; a sheet's XML is many times its rows.
    static let bytesMax = 64 << 20
    /// Files in an archive.
    static let filesMax = 400
    /// Archives in archives: a ZIP in a gzip file, and no more.
    static let depthMax = 2

    /// A file, and what an archive calls it.
    struct File {
        let bytes: [UInt8]
        var name: String?
    }

    /// The files in it, by their names; the bytes themselves where nothing is packed.
    static func files(in bytes: [UInt8]) throws(UnreadableStatement) -> [File] {
        var bytesLeft = bytesMax
        return try files(in: bytes, depth: 0, &bytesLeft)
    }

    private static func files(
        in bytes: [UInt8],
        depth: Int,
        _ bytesLeft: inout Int
    ) throws(UnreadableStatement) -> [File] {
        let isGzip = bytes.starts(with: [0x1F, 0x8B])
        guard isGzip || bytes.starts(with: [0x50, 0x4B, 3, 4]) else {
            return [File(bytes: marked(bytes))]
        }
        guard depth < depthMax else {
            throw .unreadable(line: 1, detail: "archives nest too deep")
        }
        if isGzip {
            let inner = try unpacked(bytesLeft) { bound throws(ZipError) in
                try PackedFiles.gunzip(bytes, bytesMax: bound)
            }
            bytesLeft -= inner.count
            return try files(in: inner, depth: depth + 1, &bytesLeft)
        }
        var packed = try unpacked(bytesLeft) { bound throws(ZipError) in
            try PackedFiles(bytes, bytesMax: bound)
        }
        if packed.entries.contains(where: { $0.name == XLSXWorkbook.place }) {
            let csv = try XLSXWorkbook.csv(of: &packed)
            // What was made of it counts beside what it was made of.
            bytesLeft = packed.bytesLeft - csv.count
            guard bytesLeft >= 0 else { throw refusal(.tooLarge(csv.count)) }
            return [File(bytes: csv)]
        }
        let entries = packed.entries.filter { entry in
            !entry.name.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "__MACOSX" }
        }
        guard entries.count <= filesMax else {
            throw .unreadable(line: 1, detail: "the archive has more than \(filesMax) files")
        }
        var found: [File] = []
        for entry in entries.sorted(by: { $0.name < $1.name }) {
            let inner = try contents(of: entry, &packed)
            bytesLeft -= inner.count
            guard bytesLeft >= 0 else { throw refusal(.tooLarge(inner.count)) }
            found += try files(in: inner, depth: depth + 1, &bytesLeft).map {
                File(bytes: $0.bytes, name: $0.name ?? entry.name)
            }
        }
        return found
    }

    /// A file of an archive.
    static func contents(
        of entry: PackedFiles.Entry,
        _ packed: inout PackedFiles
    ) throws(UnreadableStatement) -> [UInt8] {
        do throws(ZipError) { return try packed.contents(of: entry) } catch { throw refusal(error) }
    }

    private static func unpacked<Value>(
        _ bytesLeft: Int,
        _ unpack: (Int) throws(ZipError) -> Value
    ) throws(UnreadableStatement) -> Value {
        do throws(ZipError) { return try unpack(bytesLeft) } catch { throw refusal(error) }
    }

    private static func refusal(_ error: ZipError) -> UnreadableStatement {
        let detail =
            switch error {
            case .tooLarge: "the archive holds more than 64 MiB"
            case .unsupported: "the archive is encrypted, or packed in a way that is not read"
            case .entries: "the archive is empty, or has too many files"
            case .malformed, .corrupt, .checksum: "the archive is damaged"
            }
        return .unreadable(line: 1, detail: detail)
    }

    /// UTF-16 without a byte order mark gets one: its first letters are ASCII.
    private static func marked(_ bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= 4 else { return bytes }
        switch (bytes[0], bytes[1], bytes[2], bytes[3]) {
        case (1..., 0, 1..., 0): return [0xFF, 0xFE] + bytes
        case (0, 1..., 0, 1...): return [0xFE, 0xFF] + bytes
        default: return bytes
        }
    }
}
