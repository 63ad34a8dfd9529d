internal import CGD
internal import CGlibcSystem
internal import Glibc

// Safety: descriptors belong to one call, which closes them; buffers are lent for one call; what
// is given to posix_spawn is copied by it.

/// A picture as it is kept: upright, square, without what the camera noted.
public struct RenderedPicture: Sendable, Hashable {
    /// JPEG of 512 by 512 pixels.
    public let large: [UInt8]
    /// JPEG of 64 by 64 pixels.
    public let small: [UInt8]

    /// Why there is none.
    public enum Failure: Error, Sendable {
        /// It cannot be read, or is not worth the work: 422.
        case unreadable
        /// No process could be started.
        case broken
    }

    static let sizes = [512, 64]
    static let memoryBytesMax: UInt = 1 << 30
    static let processorSecondsMax: UInt = 10
    static let waitMilliseconds: Int32 = 15_000

    /// The argument by which the executable is told to be the other process.
    public static let argument = "render-picture"

    /// Renders a picture in a process of its own, with limits of its own; blocks.
    ///
    /// How many do so at once is for the caller to bound: each may take 250 MB for a while.
    ///
    /// - Parameter executable: what is started with `argument`; this very program where left out.
    public static func render(
        _ bytes: [UInt8],
        executable: String = "/proc/self/exe"
    ) throws(Failure) -> RenderedPicture {
        guard let header = PictureHeader(bytes), header.isModest else { throw .unreadable }
        let answer = try exchange(bytes, with: executable)
        guard answer.count > 4 else { throw .unreadable }
        let large = answer[..<4].reduce(0) { $0 << 8 | Int($1) }
        guard large > 0, large < answer.count - 4 else { throw .unreadable }
        return RenderedPicture(
            large: Array(answer[4..<4 + large]),
            small: Array(answer[(4 + large)...])
        )
    }

    /// The other process: a picture from standard input, squares to standard output.
    public static func serve() -> Never {
        guard ezwallet_confine(rlim_t(memoryBytesMax), rlim_t(processorSecondsMax)) == 0 else {
            exit(70)
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = unsafe read(0, &buffer, buffer.count)
            guard count > 0 else { break }
            bytes += buffer[..<count]
        }
        guard let made = PictureDecoder.squares(bytes, sizes) else { exit(65) }
        let length = made[0].count
        let head = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: length >> $0) }
        let answer = head + made[0] + made[1]
        var sent = 0
        while sent < answer.count {
            let count = unsafe answer[sent...].withUnsafeBytes { rest in
                unsafe write(1, rest.baseAddress, rest.count)
            }
            guard count > 0 else { exit(74) }
            sent += count
        }
        exit(0)
    }
}
