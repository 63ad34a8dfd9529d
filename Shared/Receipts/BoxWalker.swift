/// Boxes of ISO 14496-12 from `ftyp` on, `meta` and `mdat` among them.
///
/// Places in the file are named by numbers of bytes, so that metadata is blanked and not left out:
/// the items of Exif and of XMP, and boxes that no standard knows. How a picture is turned is a
/// property of its own. Source: ISO 23008-12, 6 and annex A.
struct BoxWalker: FileWalker {
    private enum Step { case head, large, meta }
    private static let metaBytesMax = 1 << 18
    private(set) var isBroken = false
    private var step = Step.head
    private var parts = PartReader(wanting: 8)
    private var type = ""
    private var isOpenEnded = false
    private var types: Set<String> = []
    private var at = 0
    private var blanks: [Range<Int>] = []

    mutating func take(_ bytes: ArraySlice<UInt8>, _ kept: inout [UInt8]) {
        var (rest, passed) = (bytes, [UInt8]())
        while !isBroken {
            if isOpenEnded {
                passed += rest
                break
            }
            guard var part = parts.next(&rest, &passed) else { break }
            switch step {
            case .head: head(part)
            case .large:
                let size = part.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
                begin(size, head: 16)
            case .meta:
                find(in: &part, from: at + passed.count)
                go(to: .head, 8)
            }
            passed += part
        }
        blank(&passed)
        at += passed.count
        kept += passed
    }

    private mutating func head(_ part: [UInt8]) {
        let size = part[..<4].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        type = String(decoding: part[4...], as: UTF8.self)
        if types.count < 64 { types.insert(type) }
        switch size {
        // To the file's end.
        case 0:
            isOpenEnded = true
            isBroken = type == "meta"
        case 1: go(to: .large, 8)
        default: begin(size, head: 8)
        }
    }

    private mutating func begin(_ size: UInt64, head: UInt64) {
        isBroken = size < head || size > 1 << 40
        guard !isBroken else { return }
        let length = Int(size - head)
        if type == "meta" {
            isBroken = length > Self.metaBytesMax
            go(to: .meta, length)
        } else {
            go(to: .head, 8, after: length, type == "uuid" ? .blanked : .kept)
        }
    }

    /// Finds the bytes of metadata that a `meta` box names; those gone by cannot be blanked.
    ///
    /// Their items become ones that no reader knows.
    private mutating func find(in box: inout [UInt8], from start: Int) {
        guard let found = MetadataItems(in: box, from: start),
            !found.ranges.contains(where: { $0.lowerBound < start })
        else {
            isBroken = true
            return
        }
        blanks += found.ranges
        for place in found.types { box.replaceSubrange(place..<place + 4, with: "skip".utf8) }
    }

    private func blank(_ bytes: inout [UInt8]) {
        let here = at..<at + bytes.count
        for range in blanks {
            let common = range.clamped(to: here)
            for index in common { bytes[index - at] = 0 }
        }
    }

    private mutating func go(
        to next: Step,
        _ wanted: Int,
        after passed: Int = 0,
        _ passing: PartReader.Passing = .kept
    ) {
        step = next
        parts.expect(wanted, after: passed, passing)
    }

    var isComplete: Bool {
        !isBroken && (isOpenEnded || parts.isBetweenParts && step == .head)
            && types.contains("meta") && (types.contains("mdat") || types.contains("idat"))
    }
}

/// The items of metadata that a `meta` box names.
struct MetadataItems {
    private static let rangesMax = 64
    /// Their bytes in the file.
    private(set) var ranges: [Range<Int>] = []
    /// Where in the box their types are written.
    private(set) var types: [Int] = []

    /// Nil where the box cannot be read.
    /// - Parameter start: where in the file the box's content begins.
    init?(in box: [UInt8], from start: Int) {
        var reader = BoxReader(box[...])
        guard reader.number(4) != nil else { return }
        var (ids, places, data) = (Set<Int>(), [(id: Int, at: Int, count: Int, inBox: Bool)](), 0)
        while let child = reader.box() {
            switch child.type {
            case "iinf":
                guard let found = Self.items(in: child.content) else { return nil }
                ids.formUnion(found.map(\.id))
                types += found.map(\.typeAt)
            case "iloc":
                guard let found = Self.places(in: child.content) else { return nil }
                places += found
            case "idat": data = start + child.content.startIndex
            default: break
            }
        }
        ranges = places.filter { ids.contains($0.id) }.map { place in
            let first = place.at + (place.inBox ? data : 0)
            return first..<first + place.count
        }
        // Without a length an item is the whole file.
        guard ranges.count <= Self.rangesMax, !ranges.contains(where: \.isEmpty) else { return nil }
    }

    /// The items that are Exif, XMP or another text.
    private static func items(in content: ArraySlice<UInt8>) -> [(id: Int, typeAt: Int)]? {
        var reader = BoxReader(content)
        guard let version = reader.version(), reader.number(version == 0 ? 2 : 4) != nil
        else { return nil }
        var items: [(id: Int, typeAt: Int)] = []
        while let entry = reader.box() {
            var item = BoxReader(entry.content)
            guard entry.type == "infe", let version = item.version(), version >= 2 else { continue }
            guard let id = item.number(version == 2 ? 2 : 4), item.number(2) != nil else {
                return nil
            }
            let place = item.place
            guard let type = item.text() else { return nil }
            if ["Exif", "mime", "uri "].contains(type) { items.append((id, place)) }
        }
        return items
    }

    private static func places(
        in content: ArraySlice<UInt8>
    ) -> [(id: Int, at: Int, count: Int, inBox: Bool)]? {
        var reader = BoxReader(content)
        guard let version = reader.version(), version <= 2, let sizes = reader.number(2),
            let count = reader.number(version < 2 ? 2 : 4)
        else { return nil }
        let (offset, length) = (sizes >> 12, sizes >> 8 & 15)
        let (base, index) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
        var places: [(id: Int, at: Int, count: Int, inBox: Bool)] = []
        for _ in 0..<count {
            guard let id = reader.number(version < 2 ? 2 : 4),
                let method = reader.number(version == 0 ? 0 : 2), reader.number(2) != nil,
                let first = reader.number(base), let extents = reader.number(2)
            else { return nil }
            for _ in 0..<extents {
                guard reader.number(index) != nil, let more = reader.number(offset),
                    let bytes = reader.number(length)
                else { return nil }
                places.append((id, first + more, bytes, method & 15 == 1))
            }
        }
        return places
    }
}

/// Reads boxes and numbers one after the other; nil at the end.
private struct BoxReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    /// Where the next byte is, in the bytes of which these are a part.
    var place: Int { rest.startIndex }

    /// A number of up to eight bytes, no larger than any file is.
    mutating func number(_ count: Int) -> Int? {
        guard count <= 8, rest.count >= count else { return nil }
        let value = rest.prefix(count).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        rest.removeFirst(count)
        return value <= 1 << 40 ? Int(value) : nil
    }

    /// Version and flags of a full box; the version.
    mutating func version() -> Int? { number(4).map { $0 >> 24 } }

    mutating func text() -> String? {
        guard rest.count >= 4 else { return nil }
        let text = String(decoding: rest.prefix(4), as: UTF8.self)
        rest.removeFirst(4)
        return text
    }

    mutating func box() -> (type: String, content: ArraySlice<UInt8>)? {
        guard let size = number(4), size >= 8, let type = text(), rest.count >= size - 8
        else { return nil }
        let content = rest.prefix(size - 8)
        rest.removeFirst(size - 8)
        return (type, content)
    }
}
