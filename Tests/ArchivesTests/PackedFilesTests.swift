import Testing

@testable import Archives

/// Archives of several files, gzip, and those that are made to harm.
@Suite struct PackedFilesTests {
    private func archive(_ files: [(String, [UInt8])]) throws -> [UInt8] {
        let writer = try ZipWriter()
        for (name, bytes) in files {
            try writer.begin(name)
            try writer.write(bytes)
        }
        try writer.finish()
        return writer.take()
    }

    @Test func filesComeBack() throws {
        let large = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* $0 >> 7) }
        let files = [("a.xml", Array("one".utf8)), ("b/c.csv", large), ("empty", [])]
        var packed = try PackedFiles(archive(files), bytesMax: 1 << 20)
        #expect(packed.entries.map(\.name) == files.map(\.0))
        for (entry, file) in zip(packed.entries, files) {
            let contents = try packed.contents(of: entry)
            #expect(contents == file.1)
        }
    }

    @Test func noMoreThanTheBoundIsUnpacked() throws {
        let bomb = try archive([("a", [UInt8](repeating: 0, count: 1 << 20))])
        #expect(bomb.count < 10_000)
        var packed = try PackedFiles(bomb, bytesMax: 1 << 20)
        let entry = packed.entries[0]
        _ = try packed.contents(of: entry)
        // The same bytes again are counted again.
        #expect(throws: ZipError.self) { try packed.contents(of: entry) }
        var small = try PackedFiles(bomb, bytesMax: 1_000)
        #expect(throws: ZipError.self) { try small.contents(of: small.entries[0]) }
        // One that lies about its length.
        let place = try #require(
            bomb.indices.last { bomb[$0...].starts(with: [0x50, 0x4B, 1, 2]) }
        )
        var liar = bomb
        liar[place + 24..<place + 28] = [1, 0, 0, 0]
        var lying = try PackedFiles(liar, bytesMax: 1_000)
        #expect(throws: ZipError.self) { try lying.contents(of: lying.entries[0]) }
    }

    /// `printf 'hello\n' | gzip -n`.
    private static let gzip: [UInt8] = [
        0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0xe7, 0x02, 0x00,
        0x20, 0x30, 0x3a, 0x36, 0x06, 0, 0, 0,
    ]

    @Test func gzipHasABoundOfMembers() throws {
        // Deflate's empty block between a head of ten bytes and a tail of eight.
        let empty: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
        let most = Array([[UInt8]](repeating: empty, count: PackedFiles.entriesMax).joined())
        #expect(try PackedFiles.gunzip(most, bytesMax: 100).isEmpty)
        #expect(throws: ZipError.entries(PackedFiles.entriesMax + 1)) {
            try PackedFiles.gunzip(most + empty, bytesMax: 100)
        }
    }

    @Test func gzipIsUnpacked() throws {
        #expect(try PackedFiles.gunzip(Self.gzip, bytesMax: 100) == Array("hello\n".utf8))
        let twice = try PackedFiles.gunzip(Self.gzip + Self.gzip, bytesMax: 100)
        #expect(twice == Array("hello\nhello\n".utf8))
        #expect(throws: ZipError.self) { try PackedFiles.gunzip(Self.gzip, bytesMax: 5) }
        for count in 0..<Self.gzip.count {
            #expect(throws: ZipError.self) {
                try PackedFiles.gunzip(Array(Self.gzip[..<count]), bytesMax: 100)
            }
        }
    }

    @Test func changedArchivesAreRefusedOrRead() throws {
        let whole = try archive([("a.xml", Array("one".utf8)), ("b.csv", Array("two".utf8))])
        for count in 0..<whole.count { try? read(Array(whole[..<count])) }
        for place in whole.indices {
            for value in [0, 0xFF, whole[place] &+ 1] as [UInt8] {
                var changed = whole
                changed[place] = value
                try? read(changed)
            }
        }
        #expect(throws: ZipError.self) { try read(Array(whole.dropLast())) }
    }

    private func read(_ archive: [UInt8]) throws {
        var packed = try PackedFiles(archive, bytesMax: 1_000)
        for entry in packed.entries { _ = try packed.contents(of: entry) }
    }
}
