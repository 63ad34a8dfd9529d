import CZlib

/// Why bytes are not the archive that was expected.
package enum ZipError: Error, Hashable, Sendable {
    /// Cut off, several disks, or not an archive at all.
    case malformed
    /// So many entries instead of one.
    case entries(Int)
    /// A method other than deflate, or encrypted.
    case unsupported(method: Int)
    /// The entry is, or says that it is, longer than what is taken.
    case tooLarge(Int)
    /// The compressed data are no deflate stream of the length that the directory tells.
    case corrupt
    /// The contents are not those that were packed.
    case checksum
}

/// Reads an archive of one deflated entry, as the European Central Bank publishes its rates.
///
/// Sizes and checksum are those of the central directory; a local header that says otherwise is
/// refused. Neither ZIP64 nor several disks.
/// Source: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16; RFC 1951.
package enum ZipArchive {
    /// The most bytes that an entry may have.
    package static let lengthMax = 64 << 20

    /// The entry's contents.
    package static func onlyEntry(
        of archive: [UInt8],
        lengthMax: Int = lengthMax
    ) throws(ZipError) -> [UInt8] {
        let entry = try directoryEntry(of: archive)
        guard entry.length <= lengthMax else { throw .tooLarge(entry.length) }
        let data = try dataRange(of: entry, in: archive)
        let inflater = try Inflater()
        let contents = try inflater.inflate(archive, data, length: entry.length)
        guard checksum(contents) == entry.checksum else { throw .checksum }
        return contents
    }

    private struct Entry {
        let flags: Int
        let checksum: UInt32
        let packedLength: Int
        let length: Int
        let nameLength: Int
        let headerAt: Int
        let directoryAt: Int
    }

    private static func directoryEntry(of archive: [UInt8]) throws(ZipError) -> Entry {
        let end = try endRecord(of: archive)
        // Two disk numbers, entries on this disk and over all.
        guard archive.number(end + 4, 2) == 0, archive.number(end + 6, 2) == 0,
            archive.number(end + 8, 2) == archive.number(end + 10, 2)
        else { throw .malformed }
        let count = archive.number(end + 10, 2)
        guard count == 1 else { throw .entries(count) }
        let (length, at) = (archive.number(end + 12, 4), archive.number(end + 16, 4))
        guard length >= 46, at + length == end, archive.number(at, 4) == 0x0201_4b50,
            46 + archive.number(at + 28, 2) + archive.number(at + 30, 2)
                + archive.number(at + 32, 2) == length
        else { throw .malformed }
        let (flags, method) = (archive.number(at + 8, 2), archive.number(at + 10, 2))
        guard method == 8, flags & 1 == 0 else { throw .unsupported(method: method) }
        return Entry(
            flags: flags,
            checksum: UInt32(archive.number(at + 16, 4)),
            packedLength: archive.number(at + 20, 4),
            length: archive.number(at + 24, 4),
            nameLength: archive.number(at + 28, 2),
            headerAt: archive.number(at + 42, 4),
            directoryAt: at
        )
    }

    /// Where the end record stands: before a comment of up to 65,535 bytes.
    private static func endRecord(of archive: [UInt8]) throws(ZipError) -> Int {
        var at = archive.count - 22
        let first = max(0, at - 0xFFFF)
        while at >= first {
            if archive.number(at, 4) == 0x0605_4b50,
                at + 22 + archive.number(at + 20, 2) == archive.count
            {
                return at
            }
            at -= 1
        }
        throw .malformed
    }

    private static func dataRange(
        of entry: Entry,
        in archive: [UInt8]
    ) throws(ZipError) -> Range<Int> {
        let at = entry.headerAt
        guard at + 30 <= entry.directoryAt, archive.number(at, 4) == 0x0403_4b50,
            archive.number(at + 6, 2) == entry.flags, archive.number(at + 8, 2) == 8,
            archive.number(at + 26, 2) == entry.nameLength
        else { throw .malformed }
        // With flag 3 checksum and sizes follow the data, and here stand zeros.
        let isStreamed = entry.flags & 8 != 0
        guard
            isStreamed
                || (archive.number(at + 14, 4) == Int(entry.checksum)
                    && archive.number(at + 18, 4) == entry.packedLength
                    && archive.number(at + 22, 4) == entry.length)
        else { throw .malformed }
        let start = at + 30 + entry.nameLength + archive.number(at + 28, 2)
        guard start + entry.packedLength <= entry.directoryAt else { throw .malformed }
        return start..<start + entry.packedLength
    }

    // Safety: zlib reads the bytes that it is lent and their own count of them.
    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        unsafe bytes.withUnsafeBufferPointer { buffer in
            UInt32(truncatingIfNeeded: unsafe crc32_z(0, buffer.baseAddress, buffer.count))
        }
    }
}

extension [UInt8] {
    /// The little-endian number of so many bytes; the caller knows that they are there.
    fileprivate func number(_ at: Int, _ count: Int) -> Int {
        var value = 0
        for index in 0..<count { value |= Int(self[at + index]) << (8 * index) }
        return value
    }
}

/// One raw deflate stream of zlib.
///
/// Safety: zlib's state points back at its `z_stream`, which must therefore never move: it stands
/// on the heap, owned here alone and freed with it.
@safe private struct Inflater: ~Copyable {
    private let stream: UnsafeMutablePointer<z_stream>

    init() throws(ZipError) {
        let new = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        unsafe new.initialize(to: z_stream())
        let size = unsafe Int32(MemoryLayout<z_stream>.size)
        // Minus: raw deflate without zlib's own header; 15: the largest window.
        guard unsafe inflateInit2_(new, -15, ZLIB_VERSION, size) == Z_OK else {
            unsafe new.deallocate()
            throw .corrupt
        }
        unsafe stream = new
    }

    deinit {
        unsafe inflateEnd(stream)
        unsafe stream.deallocate()
    }

    // Safety: input and output stay where they are until the call ends, and zlib is told their
    // lengths; it is not asked again afterwards.
    /// The whole contents, which must be `length` bytes and use up the data.
    func inflate(
        _ archive: [UInt8],
        _ data: Range<Int>,
        length: Int
    ) throws(ZipError) -> [UInt8] {
        let stream = unsafe stream
        var isWhole = false
        let contents = unsafe [UInt8](unsafeUninitializedCapacity: max(length, 1)) {
            output,
            count in
            unsafe archive.withUnsafeBufferPointer { input in
                unsafe stream.pointee.next_in = UnsafeMutablePointer(
                    mutating: input.baseAddress?.advanced(by: data.lowerBound)
                )
                unsafe stream.pointee.avail_in = UInt32(data.count)
                unsafe stream.pointee.next_out = output.baseAddress
                unsafe stream.pointee.avail_out = UInt32(length)
                let status = unsafe CZlib.inflate(stream, Z_FINISH)
                isWhole =
                    unsafe status == Z_STREAM_END && stream.pointee.avail_in == 0
                    && stream.pointee.avail_out == 0
            }
            unsafe count = length - Int(stream.pointee.avail_out)
        }
        guard isWhole else { throw .corrupt }
        return contents
    }
}
