internal import CICU

// Safety: the checker is opened once and only read (ICU: USpoofChecker is thread safe then), which
// is why it is Sendable; buffers are lent for one call.

/// How names look to people: which pass for others.
///
/// Source: UTS 39 (Unicode Security Mechanisms), by ICU.
public enum NameLooks {
    /// What names that look alike have in common, whatever their case or width.
    ///
    /// The skeleton of UTS 39 (4), folded, and taken again: `Iisa` looks like `lisa` before case is
    /// folded away, and what folding gives may look like something else in turn.
    public static func skeleton(_ name: String) -> String {
        var text = TextFolding.composed(name)
        // Each round only ever maps towards prototypes; it stands still after two or three.
        for _ in 0..<8 {
            let next = TextFolding.caseFolded(plainSkeleton(text))
            if next.unicodeScalars.elementsEqual(text.unicodeScalars) { break }
            text = next
        }
        return text
    }

    /// Whether a name is written in one script, or in those that people write together.
    ///
    /// «Highly Restrictive» of UTS 39 (5.2): one script, or Latin with those of Chinese, Japanese
    /// or Korean; digits of one system; nothing that cannot be seen.
    public static func isPlain(_ name: String) -> Bool {
        guard !name.unicodeScalars.contains(where: \.properties.isDefaultIgnorableCodePoint) else {
            return false
        }
        return unsafe withChecker { checker in
            let source = name.utf8.map { CChar(bitPattern: $0) }
            var status = U_ZERO_ERROR
            let failed = unsafe ezwallet_check_spoof(
                checker,
                source,
                Int32(source.count),
                &status
            )
            return status.rawValue <= 0 && failed == 0
        }
    }

    private static func plainSkeleton(_ text: String) -> String {
        unsafe withChecker { checker in
            let source = text.utf8.map { CChar(bitPattern: $0) }
            // One character may look like a word of 18 characters (U+FDFA).
            var target = [CChar](repeating: 0, count: source.count * 20 + 64)
            var status = U_ZERO_ERROR
            let count = unsafe ezwallet_skeleton(
                checker,
                source,
                Int32(source.count),
                &target,
                Int32(target.count),
                &status
            )
            // Cannot fire: a name is UTF-8 of 32 scalars at most (`Username`), and there is room
            // for each to become a word.
            precondition(
                status.rawValue <= 0 && count <= target.count,
                "ICU could not make a skeleton: \(status.rawValue)"
            )
            return String(
                decoding: target[..<Int(count)].map { UInt8(bitPattern: $0) },
                as: UTF8.self
            )
        }
    }

    private static func withChecker<Value>(_ body: (OpaquePointer) -> Value) -> Value {
        unsafe body(checker.handle)
    }

    private static let checker = Checker()

    // Safety: the handle is made once, and everything that takes it takes it as constant.
    /// Opened once, which takes a while, and never changed: then ICU lets any thread use it.
    @safe private final class Checker: @unchecked Sendable {
        let handle: OpaquePointer

        init() {
            var status = U_ZERO_ERROR
            // Cannot fire: nothing comes in; it fails where ICU's own data are not there.
            guard let made = unsafe ezwallet_open_spoof(&status), status.rawValue <= 0 else {
                preconditionFailure("ICU has no confusables: \(status.rawValue)")
            }
            unsafe handle = made
        }
    }
}
