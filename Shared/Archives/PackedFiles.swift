import CZlib

/// The files in a ZIP archive, and what a gzip file holds; both unpacked within a bound.
///
/// What is unpacked counts, whatever the archive says of itself: one that would be longer than what
/// is left of the bound is refused, and so are entries that overlap or lie in each other by that.
/// Source: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16; RFC 1951 and RFC 1952.
package struct PackedFiles {
    /// A file of an archive.
    package struct Entry {
        /// With its folders.
        package let name: String
        let method: Int
        let checksum: UInt32
        let packed: Range<Int>
        /// As it is told.
        package let length: Int
    }

    /// In the order of the directory; folders are left out.
    package let entries: [Entry]
    private let archive: [UInt8]
    /// Of the bound.
    package private(set) var bytesLeft: Int

    package static let entriesMax = 1_000

    /// Reads the directory; no more than `bytesMax` will be unpacked of all of it.
    package init(_ archive: [UInt8], bytesMax: Int) throws(ZipError) {
        self.archive = archive
        bytesLeft = bytesMax
        let end = try Self.endRecord(of: archive)
        guard Self.number(archive, end + 4, 2) == 0, Self.number(archive, end + 6, 2) == 0 else {
            throw .malformed
        }
        let count = Self.number(archive, end + 10, 2)
        guard count > 0, count <= Self.entriesMax else { throw .entries(count) }
        var at = Self.number(archive, end + 16, 4)
        var found: [Entry] = []
        for _ in 0..<count {
            guard at + 46 <= end, Self.number(archive, at, 4) == 0x0201_4b50 else {
                throw .malformed
            }
            let (flags, method) = (
                Self.number(archive, at + 8, 2), Self.number(archive, at + 10, 2)
            )
            let nameLength = Self.number(archive, at + 28, 2)
            let next =
                at + 46 + nameLength + Self.number(archive, at + 30, 2)
                + Self.number(archive, at + 32, 2)
            guard next <= end else { throw .malformed }
            let name = String(decoding: archive[at + 46..<at + 46 + nameLength], as: UTF8.self)
            if !name.hasSuffix("/") {
                guard method == 0 || method == 8, flags & 1 == 0 else {
                    throw .unsupported(method: method)
                }
                let header = Self.number(archive, at + 42, 4)
                let packed = Self.number(archive, at + 20, 4)
                guard header + 30 <= end, Self.number(archive, header, 4) == 0x0403_4b50 else {
                    throw .malformed
                }
                let start =
                    header + 30 + Self.number(archive, header + 26, 2)
                    + Self.number(archive, header + 28, 2)
                guard start + packed <= end else { throw .malformed }
                found.append(
                    Entry(
                        name: name,
                        method: method,
                        checksum: UInt32(truncatingIfNeeded: Self.number(archive, at + 16, 4)),
                        packed: start..<start + packed,
                        length: Self.number(archive, at + 24, 4)
                    )
                )
            }
            at = next
        }
        entries = found
    }

    /// A file's contents, which are taken off the bound.
    package mutating func contents(of entry: Entry) throws(ZipError) -> [UInt8] {
        guard entry.length <= bytesLeft else { throw .tooLarge(entry.length) }
        let contents: [UInt8]
        if entry.method == 0 {
            guard entry.packed.count <= bytesLeft else { throw .tooLarge(entry.packed.count) }
            contents = Array(archive[entry.packed])
        } else {
            let inflater = try Inflation(kind: .raw)
            contents = try inflater.all(of: archive[entry.packed], bytesMax: bytesLeft).bytes
        }
        bytesLeft -= contents.count
        guard contents.count == entry.length else { throw .corrupt }
        guard Self.checksum(contents) == entry.checksum else { throw .checksum }
        return contents
    }

    /// The contents of an archive's only file.
    package static func onlyFile(
        of archive: [UInt8],
        bytesMax: Int
    ) throws(ZipError) -> [UInt8] {
        var packed = try PackedFiles(archive, bytesMax: bytesMax)
        guard let only = packed.entries.first, packed.entries.count == 1 else {
            throw .entries(packed.entries.count)
        }
        return try packed.contents(of: only)
    }

    /// What a gzip file of one or more members holds; each costs its own state, though it be empty.
    package static func gunzip(_ bytes: [UInt8], bytesMax: Int) throws(ZipError) -> [UInt8] {
        var contents: [UInt8] = []
        var rest = bytes[...]
        var members = 0
        repeat {
            members += 1
            guard members <= entriesMax else { throw .entries(members) }
            let inflater = try Inflation(kind: .gzip)
            let (member, used) = try inflater.all(of: rest, bytesMax: bytesMax - contents.count)
            contents += member
            rest = rest.dropFirst(used)
        } while rest.starts(with: [0x1F, 0x8B])
        return contents
    }

    /// Where the end record stands: before a comment of up to 65,535 bytes.
    private static func endRecord(of archive: [UInt8]) throws(ZipError) -> Int {
        var at = archive.count - 22
        let first = max(0, at - 0xFFFF)
        while at >= first {
            if number(archive, at, 4) == 0x0605_4b50,
                at + 22 + number(archive, at + 20, 2) <= archive.count
            {
                return at
            }
            at -= 1
        }
        throw .malformed
    }

    /// The little-endian number of so many bytes; zeros where the archive has ended.
    private static func number(_ archive: [UInt8], _ at: Int, _ count: Int) -> Int {
        guard at >= 0, at + count <= archive.count else { return 0 }
        return (0..<count).reduce(0) { $0 | Int(archive[at + $1]) << (8 * $1) }
    }

    // Safety: zlib reads the bytes that it is lent and their own count of them.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            UInt32(truncatingIfNeeded: unsafe crc32_z(0, buffer.baseAddress, buffer.count))
        }
    }
}

/// One deflate stream whose length nobody knows.
///
/// Safety: zlib's state points back at its `z_stream`, which must therefore never move: it stands
/// on the heap, owned here alone and freed with it.
@safe private struct Inflation: ~Copyable {
    /// Which frame stands around the stream; as zlib has it, with the largest window.
    enum Kind: Int32 {
        case raw = -15
        case gzip = 31
    }

    private let stream: UnsafeMutablePointer<z_stream>

    static let pieceBytes = 65_536

    init(kind: Kind) throws(ZipError) {
        let new = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe new.initialize(to: z_stream())
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        guard unsafe inflateInit2_(new, kind.rawValue, ZLIB_VERSION, size) == Z_OK else {
            unsafe new.deallocate()
            throw .corrupt
        }
        unsafe stream = new
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    // Safety: the input stays where it is until the closure ends, the output until each call does,
    // and zlib is told their lengths.
    /// All of it, and how many bytes of the input it was.
    func all(
        of input: ArraySlice<UInt8>,
        bytesMax: Int
    ) throws(ZipError) -> (bytes: [UInt8], used: Int) {
        guard input.count <= Int(UInt32.max) else { throw .malformed }
        let stream = unsafe stream
        var bytes: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: Self.pieceBytes)
        var status = Z_OK
        var used = 0
        unsafe input.withUnsafeBufferPointer { input in
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.pointee.avail_in = UInt32(input.count)
            while status == Z_OK, bytes.count <= bytesMax {
                var made = 0
                unsafe piece.withUnsafeMutableBufferPointer { output in
                    unsafe stream.pointee.next_out = output.baseAddress
                    unsafe stream.pointee.avail_out = UInt32(output.count)
                    status = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
                    unsafe made = output.count - Int(stream.pointee.avail_out)
                }
                bytes += piece[..<made]
            }
            unsafe used = input.count - Int(stream.pointee.avail_in)
        }
        guard bytes.count <= bytesMax else { throw .tooLarge(bytes.count) }
        guard status == Z_STREAM_END else { throw .corrupt }
        return (bytes, used)
    }
}
