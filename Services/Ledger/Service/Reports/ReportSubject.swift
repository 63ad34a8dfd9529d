import Postgres
import ServiceKit
import WalletProtocol

/// Whose report it is, and what of theirs is in it.
struct ReportSubject: Sendable {
    let user: ID<User>
    let person: Person
    let today: Day
    /// Whether somebody else reads it: what others share with them is not shown on.
    let isOfChild: Bool
}

/// Finds out whose report may be read.
struct ReportSubjects {
    let people: People
    /// Groups' live answer: 404 for whoever is in no family.
    let place: (ID<User>) async throws -> FamilyPlace

    /// One's own.
    func own(_ user: ID<User>) async throws -> ReportSubject {
        try await subject(user, isOfChild: false)
    }

    /// That of a child in a parent's family, as groups knows it at this moment.
    /// - Throws: 404 for everybody else, 503 without an answer.
    func child(_ child: ID<User>, of parent: ID<User>) async throws -> ReportSubject {
        let ours = try await place(parent)
        guard ours.role == .parent, child != parent else { throw APIError.notFound }
        let theirs = try await place(child)
        guard theirs.familyID == ours.familyID, theirs.role == .child else {
            throw APIError.notFound
        }
        return try await subject(child, isOfChild: true)
    }

    private func subject(_ user: ID<User>, isOfChild: Bool) async throws -> ReportSubject {
        let person = try await people.person(user)
        return ReportSubject(
            user: user,
            person: person,
            today: people.today(for: person),
            isOfChild: isOfChild
        )
    }
}
