import Loops
import Postgres
import ServiceKit
import Testing
import WalletProtocol

@testable import GroupsService

/// Invitations to wallets and folders, whatever becomes of the ledger meanwhile.
@Suite struct SharedInvitationTests {
    /// What is shared.
    enum Kind: CaseIterable {
        case wallet, folder

        /// To something of its own, every time.
        func offer() -> SharedOffer {
            switch self {
            case .wallet: .wallet(.new(), .editor)
            case .folder: .folder(.new(), .write)
            }
        }
    }

    // MARK: Asking

    @Test(arguments: Kind.allCases)
    func whoeverIsAskedByNameOrAddressComesOnce(_ kind: Kind) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            for invitee in [Invitee(username: "bob"), Invitee(email: rig.bob.email)] {
                let offer = kind.offer()
                let id = try await rig.invite(invitee, to: offer)
                let seen = try await rig.open(of: rig.bob)
                #expect(seen.map(\.id) == [id])
                let asked = try #require(seen.first)
                #expect(asked.accountID == offer.thing.account && asked.role == offer.role)
                #expect(asked.folderID == offer.thing.folder && asked.access == offer.access)
                #expect(asked.kind == offer.thing.kind && asked.groupID == nil)
                #expect(asked.name == "Trip" && asked.invitee == nil)
                let mine = try await rig.store.list(PageQuery(), of: offer.thing, for: rig.ada.id)
                #expect(mine.items.map(\.id) == [id])
                let answer = try await rig.accept(id, by: rig.bob)
                let again = try await rig.accept(id, by: rig.bob)
                #expect([answer, again] == [SharedRig.view(of: offer.thing)].flatMap { [$0, $0] })
                #expect(rig.ledger.joined == [id])
                rig.ledger.joined = []
            }
            #expect(try await harness.told(InvitationSent.eventType) == 2)
            #expect(try await harness.told(InvitationAnswered.eventType) == 2)
        }
    }

    @Test(arguments: Kind.allCases)
    func acceptedNameEndsTheAddressForItsOwnerAlone(_ kind: Kind) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            let offer = kind.offer()
            let named = try await rig.invite(to: offer)
            let address = try await rig.invite(Invitee(email: rig.bob.email), to: offer)
            for invitee in [Invitee(username: "bob"), Invitee(email: rig.bob.email)] {
                await #expect(throws: APIError(.alreadyInvited)) {
                    _ = try await rig.invite(invitee, to: offer)
                }
            }
            _ = try await rig.accept(named, by: rig.bob)
            #expect(rig.ledger.joined == [named])
            #expect(try await rig.open(of: rig.bob).isEmpty)
            #expect(try await rig.accept(address, by: rig.bob) == nil)
            // Its sender sees no difference.
            let sent = try await rig.store.list(PageQuery(), of: offer.thing, for: rig.ada.id)
            #expect(sent.items.map(\.id) == [address])
        }
    }

    @Test(arguments: Kind.allCases)
    func rejectedAddressLeavesTheNameOpen(_ kind: Kind) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            let offer = kind.offer()
            let named = try await rig.invite(to: offer)
            let address = try await rig.invite(Invitee(email: rig.bob.email), to: offer)
            #expect(try await rig.reject(address, by: rig.bob))
            #expect(try await rig.open(of: rig.bob).map(\.id) == [named])
            let read = try await harness.parts.invitations.find(address, for: rig.ada)
            #expect(read.state == .rejected && read.answeredBy == nil)
        }
    }

    @Test(arguments: Kind.allCases)
    func blockedSenderReachesNobody(_ kind: Kind) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            let offer = kind.offer()
            let first = try await rig.invite(to: offer)
            try await harness.parts.refusals.block(rig.ada.id, by: rig.bob.id)
            let second = try await rig.invite(Invitee(email: rig.bob.email), to: offer)
            #expect(try await rig.open(of: rig.bob).isEmpty)
            for id in [first, second] {
                #expect(try await rig.accept(id, by: rig.bob) == nil)
                #expect(try await !rig.reject(id, by: rig.bob))
            }
            try await harness.parts.refusals.unblock(rig.ada.id, by: rig.bob.id)
            #expect(try await rig.open(of: rig.bob).map(\.id) == [second, first])
        }
    }

    @Test(arguments: Kind.allCases)
    func theLedgerSaysWhoIsAskedByWhom(_ kind: Kind) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            let (offer, own) = (kind.offer(), TestSharing.standing)
            let changes: [(ErrorCode, (inout SharedStanding) -> Void)] = [
                (.forbidden, { $0.isOwner = false }),
                (.alreadyMember, { $0.isOtherMember = true }),
                (.accountClosed, { $0.refusal = APIError(.accountClosed) }),
                (.tooManyMembers, { $0.memberCount = $0.memberCountMax }),
                (.tooManyMembers, { $0.memberCount = .max }),
            ]
            for (code, change) in changes {
                rig.ledger.standing = own
                change(&rig.ledger.standing)
                await #expect(throws: APIError(code)) { _ = try await rig.invite(to: offer) }
            }
            rig.ledger.standing = own
            // Who is asked has a place already.
            rig.ledger.standing.memberCount = own.memberCountMax - 1
            _ = try await rig.invite(to: offer)
            await #expect(throws: APIError(.tooManyMembers)) {
                _ = try await rig.invite(Invitee(email: "eve@example.org"), to: offer)
            }
            rig.ledger.standing = own
            await #expect(throws: APIError(.alreadyMember)) {
                _ = try await rig.invite(Invitee(username: "ada"), to: offer)
            }
            rig.ledger.standing.isOwner = false
            await #expect(throws: APIError(.forbidden)) {
                _ = try await rig.store.list(PageQuery(), of: offer.thing, for: rig.ada.id)
            }
            rig.ledger.isStranger = true
            await #expect(throws: APIError(.notFound)) { _ = try await rig.invite(to: offer) }
        }
    }

    @Test(arguments: Kind.allCases)
    func whatIsWithdrawnIsAnsweredNoMore(_ kind: Kind) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            let offer = kind.offer()
            let id = try await rig.invite(to: offer)
            // Not by way of something else.
            for other in Kind.allCases {
                await #expect(throws: APIError(.notFound)) {
                    try await rig.store.withdraw(id, from: other.offer().thing, by: rig.ada.id)
                }
            }
            try await rig.store.withdraw(id, from: offer.thing, by: rig.ada.id)
            await #expect(throws: APIError(.notFound)) {
                try await rig.store.withdraw(id, from: offer.thing, by: rig.ada.id)
            }
            let accepted = try await rig.accept(id, by: rig.bob)
            let rejected = try await rig.reject(id, by: rig.bob)
            #expect(accepted == nil && !rejected && rig.ledger.joined.isEmpty)
            _ = try await rig.invite(to: offer)
        }
    }

    // MARK: Answering

    @Test(arguments: Kind.allCases)
    func whatWasTakenBeforeTheLedgerFellIsFinishedByTheWorker(
        _ kind: Kind
    ) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            let offer = kind.offer()
            let id = try await rig.invite(to: offer)
            rig.ledger.isUp = false
            await #expect(throws: APIError.self) {
                _ = try await rig.accept(id, by: rig.bob)
            }
            // It is taken: nobody answers it otherwise, takes it back or asks again.
            let rejected = try await rig.reject(id, by: rig.bob)
            #expect(!rejected)
            rig.ledger.isUp = true
            await #expect(throws: APIError.self) {
                try await rig.store.withdraw(id, from: offer.thing, by: rig.ada.id)
            }
            await #expect(throws: APIError.self) { _ = try await rig.invite(to: offer) }
            // A call may be under way still.
            try await rig.store.finishSome()
            #expect(rig.ledger.joined.isEmpty)
            try await harness.database.execute(age)
            try await rig.store.finishSome()
            try await rig.store.finishSome()
            #expect(rig.ledger.joined == [id])
            #expect(try await harness.told(InvitationAnswered.eventType) == 1)
            // Their own call again: the answer is the same, and nobody is told twice.
            let view = try await rig.accept(id, by: rig.bob)
            #expect(view == SharedRig.view(of: offer.thing))
            #expect(rig.ledger.joined == [id])
            #expect(try await harness.told(InvitationAnswered.eventType) == 1)
        }
    }

    /// Groups dies before it writes that the ledger has the member: it is written by the next call
    /// or by the worker, and told once.
    @Test(arguments: Kind.allCases, [true, false])
    func whatTheLedgerHasIsWrittenThoughNobodyHeard(
        _ kind: Kind,
        isRepeated: Bool
    ) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            let id = try await rig.invite(to: kind.offer())
            rig.ledger.isCutOff = true
            await #expect(throws: APIError.self) {
                _ = try await rig.accept(id, by: rig.bob)
            }
            #expect(rig.ledger.joined == [id])
            #expect(try await harness.told(InvitationAnswered.eventType) == 0)
            rig.ledger.isCutOff = false
            if isRepeated {
                #expect(try await rig.accept(id, by: rig.bob) != nil)
            } else {
                try await harness.database.execute(age)
                try await rig.store.finishSome()
            }
            for _ in 0..<2 { try await rig.store.finishSome() }
            #expect(rig.ledger.joined == [id])
            #expect(try await harness.told(InvitationAnswered.eventType) == 1)
        }
    }

    @Test(
        arguments: Kind.allCases,
        [ErrorCode.notFound, .accountClosed, .tooManyMembers]
    )
    func whatTheLedgerRefusesLapses(_ kind: Kind, code: ErrorCode) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            let id = try await rig.invite(to: kind.offer())
            rig.ledger.refusal = code
            await #expect(throws: APIError(code)) {
                _ = try await rig.accept(id, by: rig.bob)
            }
            rig.ledger.refusal = nil
            let later = try await rig.accept(id, by: rig.bob)
            #expect(later == nil)
            try await harness.database.execute(age)
            try await rig.store.finishSome()
            #expect(rig.ledger.joined.isEmpty)
            #expect(try await harness.told(InvitationAnswered.eventType) == 0)
        }
    }

    @Test(arguments: Kind.allCases)
    func whoeverSaysNoIsAskedAgain(_ kind: Kind) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            let offer = kind.offer()
            let id = try await rig.invite(to: offer)
            let stranger = try await SharedRig.person("eve", harness)
            let theirs = try await rig.reject(id, by: stranger)
            #expect(!theirs)
            let rejected = try await rig.reject(id, by: rig.bob)
            #expect(rejected)
            let again = try await rig.reject(id, by: rig.bob)
            #expect(!again && rig.ledger.joined.isEmpty)
            #expect(try await harness.told(InvitationAnswered.eventType) == 1)
            let next = try await rig.invite(to: offer)
            let seen = try await rig.open(of: rig.bob)
            #expect(seen.map(\.id) == [next])
        }
    }

    /// Whichever is answered, and however, the other one stays open.
    @Test(arguments: Kind.allCases, [true, false])
    func answeringOneThingLeavesOthersOpen(_ kind: Kind, isAccepted: Bool) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            let other: Kind = kind == .wallet ? .folder : .wallet
            let id = try await rig.invite(to: kind.offer())
            let left = try await rig.invite(to: other.offer())
            if isAccepted {
                _ = try await rig.accept(id, by: rig.bob)
            } else {
                _ = try await rig.reject(id, by: rig.bob)
            }
            let seen = try await rig.open(of: rig.bob)
            #expect(seen.map(\.id) == [left])
            _ = try await rig.accept(left, by: rig.bob)
            #expect(rig.ledger.joined == (isAccepted ? [id, left] : [left]))
        }
    }

    /// Whoever invited and whoever was invited: nothing is kept of them.
    @Test(arguments: Kind.allCases, [true, false])
    func nothingIsLeftOfWhoIsErased(_ kind: Kind, isInviter: Bool) async throws {
        try await Harness.run { _, harness in
            let rig = try await SharedRig.make(harness)
            _ = try await rig.invite(to: kind.offer())
            _ = try await rig.invite(Invitee(email: rig.bob.email), to: kind.offer())
            let user = isInviter ? rig.ada.id : rig.bob.id
            let order = ErasureOrder(userID: user, erasedAt: .now(), lastSequence: 0, email: nil)
            try await harness.parts.people.erase(order)
            let count = try await harness.database.queryOne(invitations)
            #expect(count == 0)
        }
    }
}

private let age = Statement<Void>(
    """
    update groups.invitation set answered_at = now() - interval '1 minute'
    where state = 'accepting'
    """
)
private let invitations = Statement("select count(*) from groups.invitation") { row in
    try row.int64(0)
}
