import CZlib

/// Why an archive cannot be written.
package enum ZipWriterError: Error, Hashable, Sendable {
    /// It would be longer than 4 GiB, beyond which another format begins.
    case tooLarge
    /// The library refused; its status.
    case library(Int)
}

// Safety: zlib's state stands in memory of its own from init to deinit, and is used by one task at
// a time.
/// Writes an archive of deflated entries piece by piece, in bounded memory.
///
/// Lengths and checksums stand behind each entry (a data descriptor) and in the directory at the
/// end. Names are UTF-8.
/// Source: PKWARE, APPNOTE.TXT 6.3.10, sections 4.3.7, 4.3.9, 4.3.12 and 4.3.16; RFC 1951.
@safe package final class ZipWriter {
    private struct Entry {
        let name: [UInt8]
        let at: Int
        var checksum: UInt
        var packed: Int
        var length: Int
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private var entries: [Entry] = []
    private var isOpen = false
    private var output: [UInt8] = []
    private var written = 0

    static let lengthMax = 0xffff_0000

    package init() throws(ZipWriterError) {
        unsafe stream = .allocate(capacity: 1)
        unsafe stream.initialize(to: z_stream())
        let status = unsafe deflateInit2_(
            stream,
            Z_DEFAULT_COMPRESSION,
            Z_DEFLATED,
            -15,
            8,
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard status == Z_OK else { throw .library(Int(status)) }
    }

    deinit {
        unsafe deflateEnd(stream)
        unsafe stream.deallocate()
    }

    /// Begins an entry; the one before it ends.
    package func begin(_ name: String) throws(ZipWriterError) {
        try end()
        let entry = Entry(name: Array(name.utf8), at: written, checksum: 0, packed: 0, length: 0)
        var header: [UInt8] = []
        header.append(number: 0x0403_4b50, 4)
        header.append(number: 20, 2)
        header.append(description: entry.name, checksum: 0, packed: 0, length: 0)
        put(header + entry.name)
        entries.append(entry)
        isOpen = true
    }

    /// Adds to the entry that was begun.
    package func write(_ bytes: [UInt8]) throws(ZipWriterError) { try deflate(bytes, Z_NO_FLUSH) }

    /// Ends the archive.
    package func finish() throws(ZipWriterError) {
        try end()
        let start = written
        for entry in entries {
            var header: [UInt8] = []
            header.append(number: 0x0201_4b50, 4)
            // Made by a UNIX (3), so that the permissions behind count.
            header.append(number: 3 << 8 | 20, 2)
            header.append(number: 20, 2)
            header.append(
                description: entry.name,
                checksum: entry.checksum,
                packed: entry.packed,
                length: entry.length
            )
            header.append(number: 0, 6)
            header.append(number: 0o100_600 << 16, 4)
            header.append(number: entry.at, 4)
            put(header + entry.name)
        }
        let length = written - start
        var last: [UInt8] = []
        last.append(number: 0x0605_4b50, 4)
        last.append(number: 0, 4)
        last.append(number: entries.count, 2)
        last.append(number: entries.count, 2)
        last.append(number: length, 4)
        last.append(number: start, 4)
        last.append(number: 0, 2)
        put(last)
        guard written <= Self.lengthMax else { throw .tooLarge }
    }

    /// How much has been written and not been taken.
    package var waiting: Int { output.count }

    /// What has been written since the last time.
    package func take() -> [UInt8] {
        defer { output = [] }
        return output
    }

    private func put(_ bytes: [UInt8]) {
        output.append(contentsOf: bytes)
        written += bytes.count
    }

    private func end() throws(ZipWriterError) {
        guard isOpen else { return }
        try deflate([], Z_FINISH)
        let status = unsafe deflateReset(stream)
        guard status == Z_OK else { throw .library(Int(status)) }
        isOpen = false
        let entry = entries[entries.count - 1]
        var descriptor: [UInt8] = []
        descriptor.append(number: 0x0807_4b50, 4)
        descriptor.append(number: Int(entry.checksum), 4)
        descriptor.append(number: entry.packed, 4)
        descriptor.append(number: entry.length, 4)
        put(descriptor)
    }

    // Safety: input and room stay where they are until the call ends, and zlib is told their
    // lengths; it is not asked again with them.
    private func deflate(_ bytes: [UInt8], _ flush: Int32) throws(ZipWriterError) {
        let last = entries.count - 1
        let stream = unsafe stream
        var failure: Int32?
        var packed: [UInt8] = []
        unsafe bytes.withUnsafeBufferPointer { input in
            entries[last].checksum = unsafe UInt(
                crc32(uLong(entries[last].checksum), input.baseAddress, uInt(input.count))
            )
            unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
            unsafe stream.pointee.avail_in = uInt(input.count)
            var isDone = false
            while !isDone {
                let room = unsafe [UInt8](unsafeUninitializedCapacity: 32_768) { output, count in
                    unsafe stream.pointee.next_out = output.baseAddress
                    unsafe stream.pointee.avail_out = uInt(output.count)
                    let status = unsafe CZlib.deflate(stream, flush)
                    unsafe count = output.count - Int(stream.pointee.avail_out)
                    if status != Z_OK, status != Z_STREAM_END, status != Z_BUF_ERROR {
                        failure = status
                    }
                    let hasRoom = unsafe stream.pointee.avail_out > 0
                    isDone =
                        failure != nil || status == Z_STREAM_END
                        || (flush == Z_NO_FLUSH && hasRoom)
                }
                packed.append(contentsOf: room)
            }
        }
        if let failure { throw .library(Int(failure)) }
        entries[last].length += bytes.count
        entries[last].packed += packed.count
        put(packed)
        guard written <= Self.lengthMax, entries[last].length <= Self.lengthMax else {
            throw .tooLarge
        }
    }
}

extension [UInt8] {
    /// What both headers of an entry say of it: flags (a data descriptor, UTF-8), deflate, the
    /// first day that the format knows, checksum, lengths.
    fileprivate mutating func append(
        description name: [UInt8],
        checksum: UInt,
        packed: Int,
        length: Int
    ) {
        append(number: 1 << 3 | 1 << 11, 2)
        append(number: 8, 2)
        append(number: 0, 2)
        append(number: 1 << 5 | 1, 2)
        append(number: Int(checksum), 4)
        append(number: packed, 4)
        append(number: length, 4)
        append(number: name.count, 2)
        append(number: 0, 2)
    }

    fileprivate mutating func append(number: Int, _ bytes: Int) {
        for place in 0..<bytes { append(UInt8(truncatingIfNeeded: number >> (8 * place))) }
    }
}
