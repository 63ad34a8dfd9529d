import Glibc
import Loops
import Pictures
import TestKit
import Testing

@testable import AuthService

/// Where pictures are rendered, with a renderer that takes its time.
@Suite struct PictureRoomTests {
    /// A PNG as its header tells it.
    private static let picture: [UInt8] =
        [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13] + Array("IHDR".utf8)
        + [0, 0, 0, 8, 0, 0, 0, 8, 8, 2, 0, 0, 0, 0, 0, 0, 0]

    /// A program that reads the picture, waits, and answers with two pictures of one byte.
    private static func renderer(seconds: Double, mark: String) throws -> String {
        let path = mark + ".sh"
        let text = """
            #!/bin/sh
            cat > /dev/null
            echo begun >> \(mark)
            sleep \(seconds)
            echo ended >> \(mark)
            printf '\\000\\000\\000\\001ab'
            """
        // Written by another process: no child of this one has it open when it is to be run.
        let write = "printf %s \"$2\" > \"$1\" && chmod 700 \"$1\""
        try Subprocess.run(["/bin/sh", "-c", write, "sh", path, text])
        return path
    }

    private static func marks(_ path: String) -> [String] {
        guard let file = unsafe fopen(path, "r") else { return [] }
        defer { unsafe _ = fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 10_000)
        let count = unsafe fread(&bytes, 1, bytes.count, file)
        return String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").map(
            String.init
        )
    }

    @Test func oneIsRenderedAndFewWait() async throws {
        let mark = "/tmp/ezw-mark-\(getpid())-\(UInt32.random(in: 0 ... .max))"
        let renderer = try Self.renderer(seconds: 0.3, mark: mark)
        defer {
            unlink(renderer)
            unlink(mark)
        }
        let group = LoopGroup(count: 1)
        group.startAll()
        defer { group.stop() }
        try await group.loops[0].actor.run { actor in
            let room = PictureRoom(executable: renderer)
            let outcomes = try await atOnce(20, on: actor) { _, _ in
                guard room.enter() else { return false }
                defer { room.leave() }
                let made = try await room.render(Self.picture)
                #expect(made.large == [97] && made.small == [98])
                return true
            }
            #expect(outcomes.filter { $0 }.count == PictureRoom.places)
            let one = ["begun", "ended"]
            let all = Array(repeating: one, count: PictureRoom.places).flatMap { $0 }
            #expect(Self.marks(mark) == all, "one after another")
            // A picture that is none gives its place back, too.
            for _ in 0..<PictureRoom.places {
                try #require(room.enter())
                defer { room.leave() }
                await #expect(throws: RenderedPicture.Failure.unreadable) {
                    try await room.render([1])
                }
            }
            #expect(room.enter(), "every place is free again")
            room.leave()
        }
    }
}
