import ServiceKit
import WalletProtocol

extension SavedQueryRow {
    /// What is asked, and what is wrong with it by now.
    var query: Unjudged<InsightQuery> {
        do throws(APIError) {
            return try JSON.read(Unjudged<InsightQuery>.self, from: Array(text.utf8))
        } catch {
            // Of a shape that is unlike any of ours.
            let fault = FieldError(pointer: "", code: .invalidValue, detail: "cannot be read")
            let faults = error.errors.isEmpty ? [fault] : error.errors
            return Unjudged(InsightQuery(measures: []), faults: faults)
        }
    }

    /// As its owner sees it, whatever has become of its words: one that cannot be asked any more
    /// can be seen, changed and removed.
    func view(at now: Instant) -> SavedQueryView {
        let query = query
        let isReadable = (try? AskedInsights(query, now: now)) != nil
        return SavedQueryView(
            id: id,
            name: name,
            query: isReadable ? query.body : nil,
            unreadable: isReadable ? nil : text,
            createdAt: createdAt,
            changedAt: changedAt
        )
    }
}
