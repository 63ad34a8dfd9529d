import TestKit
import Testing
import WalletProtocol

/// Pages end where they are long enough.
@Suite struct PageTests {
    private struct Note: JSONObject, Hashable {
        let id: Int
        let text: String

        init(id: Int, text: String) {
            self.id = id
            self.text = text
        }

        static let json = Object(Note.init, Field("id", \.id), Field("text", \.text))
    }

    /// A list as a service reads it: the rows behind a place, one more than wanted.
    private func page(of notes: [Note], behind place: Int?, _ limit: Int) -> Page<Note> {
        let start = place.map { $0 + 1 } ?? 0
        return Page(rows: Array(notes[start...].prefix(limit + 1)), limit: limit) {
            Cursor($0.id)
        }
    }

    @Test(arguments: [1, 3, 200]) func pagesAddUpToTheList(limit: Int) throws {
        let seed = UInt64.random(in: .min ... .max)
        var random = SeededGenerator(seed: seed)
        let letters = ["a", "é", "字", "🙂", "\"", "\n"]
        let notes = (0..<300).map { id in
            let length = [1, 80, 2_000, 40_000].randomElement(using: &random) ?? 1
            let letter = letters.randomElement(using: &random) ?? "a"
            return Note(id: id, text: String(repeating: letter, count: length))
        }
        let longest = try #require(notes.map { JSON.write($0).count }.max())
        var read: [Note] = []
        var place: Int?
        repeat {
            let page = page(of: notes, behind: place, limit)
            #expect(page.items.count <= limit, "seed \(seed)")
            #expect(!page.items.isEmpty, "seed \(seed)")
            let length = JSON.write(page.items).count
            #expect(length <= max(PageSize.bytesMax, longest) + 2, "seed \(seed)")
            read += page.items
            place = try page.nextCursor?.decode(Int.self)
        } while place != nil
        #expect(read == notes, "seed \(seed)")
    }

    @Test func oneLongItemIsAPage() {
        let long = Note(id: 0, text: String(repeating: "a", count: PageSize.bytesMax))
        let page = Page(rows: [long, Note(id: 1, text: "")], limit: 2) { Cursor($0.id) }
        #expect(page.items == [long])
        #expect(page.nextCursor == Cursor(0))
    }

    @Test func boundedItemsAreWrittenAsTheyAre() throws {
        for count in 0...3 {
            let notes = (0..<count).map { Note(id: $0, text: "\($0)") }
            let bounded = Page(rows: notes, limit: 2) { Cursor($0.id) }
            let plain = Page(items: Array(notes.prefix(2)), nextCursor: bounded.nextCursor)
            #expect(JSON.write(bounded) == JSON.write(plain))
            #expect(try JSON.read(Page<Note>.self, from: JSON.write(bounded)).items == plain.items)
        }
    }

    @Test func estimatedRowsEndAtTheSameLength() {
        let half = PageSize.bytesMax / 2
        #expect(PageSize.first(of: [half, half, 1], limit: 3) { $0 } == [half, half])
        #expect(PageSize.first(of: [2 * half + 1, 1], limit: 3) { $0 } == [2 * half + 1])
        #expect(PageSize.first(of: [1, 1, 1], limit: 2) { $0 } == [1, 1])
        #expect(PageSize.first(of: [], limit: 2) { $0 } == [])
    }
}
