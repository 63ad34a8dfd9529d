import Loops
import Postgres
import ServiceKit
import TestKit
import Testing
import WalletProtocol

@testable import LedgerService

/// Accounts that are looked up together: each request finds its own, and what fails is theirs alone
/// who shared it.
@Suite struct AccountLookupTests {
    @Test func whoAsksAtOnceFindsEachTheirOwn() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            var accounts: [(id: ID<Account>, iban: String)] = []
            for number in 0..<40 {
                let account = try await books.account(of: ada)
                let iban = "DE\(number + 10)0000"
                try await books.owner.execute(setIBAN, account, iban)
                accounts.append((account, iban))
            }
            let known = accounts
            let rig = LookupRig(books, on: actor)
            await atOnce(400, on: actor) { actor, index in
                let (id, iban) = known[index % known.count]
                do {
                    let lookup = rig.on(actor).lookup
                    let found =
                        index % 2 == 0
                        ? try await lookup.find([id, .new()], ibans: ["DE99"])
                        : try await lookup.find([], ibans: [iban])
                    if index % 2 == 0 {
                        #expect(found.accounts[id]?.iban == iban)
                        #expect(found.ibans["DE99"] == nil)
                    } else {
                        #expect(found.ibans[iban]?.id == id)
                    }
                } catch { Issue.record("\(error)") }
            }
            await rig.on(actor).end()
        }
    }

    @Test func moreThanAStatementTakesGoesWithTheNext() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada)
            let rig = LookupRig(books, on: actor)
            await atOnce(5, on: actor) { actor, _ in
                let strangers = (0..<AccountLookup.keysMax).map { _ in ID<Account>.new() }
                do {
                    let found = try await rig.on(actor).lookup.find(
                        Set(strangers).union([account]),
                        ibans: []
                    )
                    #expect(found.accounts.count == 1)
                    #expect(found.accounts[account]?.owner == ada)
                } catch { Issue.record("\(error)") }
            }
            await rig.on(actor).end()
        }
    }

    @Test func connectionsThatDieFailWhoAskedThenAndNobodyLater() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada)
            let rig = LookupRig(books, on: actor)
            for _ in 0..<5 {
                let asking = (0..<50).map { _ in
                    actor.spawn { actor in
                        // Either is an answer; none would stand still for ever.
                        _ = try? await rig.on(actor).lookup.find([account], ibans: [])
                    }
                }
                await books.cutService()
                for task in asking { await task.value }
                let found = try await rig.on(actor).lookup.find([account], ibans: [])
                #expect(found.accounts[account]?.owner == ada)
            }
            await rig.on(actor).end()
        }
    }

    @Test func whoIsErasedIsFoundByNoIBAN() async throws {
        try await LedgerRig().run { actor, books in
            let ada = try await books.person()
            let account = try await books.account(of: ada)
            try await books.owner.execute(setIBAN, account, "DE00")
            try await books.owner.execute(erase, ada)
            let rig = LookupRig(books, on: actor)
            let found = try await rig.on(actor).lookup.find([account], ibans: ["DE00"])
            #expect(found.ibans.isEmpty)
            #expect(found.accounts[account]?.owner == ada)
            await rig.on(actor).end()
        }
    }
}

/// A look-up and its worker on the test's loop.
private struct LookupRig: Sendable {
    final class Parts {
        let lookup: AccountLookup
        var worker: Task<Void, Never>?

        init(_ lookup: AccountLookup) { self.lookup = lookup }

        func end() async {
            worker?.cancel()
            await worker?.value
        }
    }
    private let bound: LoopBound<Parts>

    init(_ books: Books, on actor: isolated LoopActor) {
        let parts = Parts(AccountLookup(database: books.service))
        bound = LoopBound(parts, to: actor)
        let bound = bound
        parts.worker = actor.spawn { actor in await bound.on(actor).lookup.serve() }
    }

    func on(_ actor: isolated LoopActor) -> Parts { bound.on(actor) }
}

private let setIBAN = Statement<Void>("update ledger.account set iban = $2 where id = $1")
private let erase = Statement<Void>(
    "insert into ledger.erased_user (user_id, erased_at) values ($1, now())"
)
