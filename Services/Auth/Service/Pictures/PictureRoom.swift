import Loops
import Pictures
import Synchronization

/// Where pictures are rendered: one after another, on a thread of its own, which begins with the
/// first of them.
///
/// Nothing else waits for them, least of all who signs in: passwords are hashed elsewhere. Who
/// finds no place is told so at once, so that little waits, and never for long.
final class PictureRoom: Sendable {
    /// The one of this process, whatever the loop: a rendering may take 250 MB for a while.
    static let shared = PictureRoom()
    /// One is rendered, the others wait.
    static let places = 3

    private struct State {
        var taken = 0
        var pool: BlockingPool?
    }

    private let executable: String
    private let state = Mutex(State())

    /// - Parameter executable: what renders, where it is not this program.
    init(executable: String = "/proc/self/exe") { self.executable = executable }

    /// Takes a place; false: all are taken.
    func enter() -> Bool {
        state.withLock { state in
            guard state.taken < Self.places else { return false }
            state.taken += 1
            return true
        }
    }

    /// Gives the place back.
    func leave() { state.withLock { $0.taken -= 1 } }

    /// Renders a picture, for who has a place.
    func render(_ bytes: [UInt8]) async throws -> RenderedPicture {
        let pool = state.withLock { state in
            let pool = state.pool ?? BlockingPool(threads: 1, queueMax: Self.places)
            state.pool = pool
            return pool
        }
        let executable = executable
        return try await pool.run {
            try RenderedPicture.render(bytes, executable: executable)
        }
    }

    deinit { state.withLock { $0.pool?.stop() } }
}
