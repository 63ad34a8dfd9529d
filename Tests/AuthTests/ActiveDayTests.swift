import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Once a day it is told that somebody was there, and by no more than that.
@Suite struct ActiveDayTests {
    private func told(_ harness: Harness, of user: ID<User>) async throws -> [UserActive] {
        try await harness.database.query(activeEvents, user.text).map { text in
            try JSON.read(UserActive.self, from: Array(text.utf8))
        }
    }

    /// As though another day had come.
    private func sleep(_ harness: Harness, _ user: ID<User>) async throws {
        try await harness.database.execute(age, user)
    }

    @Test func aDayIsToldOfOnceHoweverManySignInAtOnce() async throws {
        try await Harness.run { actor, harness in
            let person = try await harness.register()
            let today = try #require(Day(utc: .now()))
            let first = try await self.told(harness, of: person.id)
            #expect(first.allSatisfy { $0.userID == person.id && $0.day >= today })
            #expect(first.count == 1)
            try await self.sleep(harness, person.id)
            let bound = LoopBound((harness, person), to: actor)
            let statuses = try await atOnce(12, on: actor) { actor, number in
                let (harness, person) = bound.on(actor)
                return number % 2 == 0
                    ? try await harness.logIn(person.email).status
                    : try await harness.refresh(person.session.refreshToken).status
            }
            #expect(statuses.allSatisfy { $0 == 201 })
            let second = try await self.told(harness, of: person.id)
            #expect(second.count == 2)
        }
    }

    @Test func aRefreshTellsOfTheDayToo() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await self.sleep(harness, person.id)
            let answer = try await harness.refresh(person.session.refreshToken)
            #expect(answer.status == 201)
            let told = try await self.told(harness, of: person.id)
            #expect(told.count == 2)
        }
    }

    @Test func whoIsNoUserIsNotToldOf() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            try await harness.database.execute(makeOfficer, person.id)
            try await self.sleep(harness, person.id)
            for answer in [
                try await harness.refresh(person.session.refreshToken),
                try await harness.logIn(person.email),
            ] { #expect(answer.status == 201) }
            let told = try await self.told(harness, of: person.id)
            #expect(told.count == 1)
        }
    }

    @Test func theLastDayIsForgottenAfterTwentyFiveMonths() async throws {
        try await Harness.run { _, harness in
            let people = [try await harness.register(), try await harness.register()]
            for (days, person) in people.enumerated() {
                try await harness.database.execute(setBack, person.id, Int32(days))
            }
            let service = harness.rig.service
            await CleanUp(database: service.database, logger: service.logger).run()
            let left = try await harness.database.query(whoHasADay)
            #expect(left == [people[0].id])
            // Who comes back is told of as ever.
            let answer = try await harness.logIn(people[1].email)
            #expect(answer.status == 201)
            let told = try await self.told(harness, of: people[1].id)
            #expect(told.count == 2)
        }
    }

    @Test func registeringIsToldOfFirst() async throws {
        try await Harness.run { _, harness in
            let person = try await harness.register()
            let types = try await harness.database.query(eventTypes, person.id.text)
            #expect(types == ["user.registered", "user.active"])
        }
    }
}

private let setBack = Statement<Void>(
    """
    update auth.active_day
    set day = (now() at time zone 'UTC')::date - interval '25 months'
        - make_interval(days => $2::int4)
    where user_id = $1
    """
)

private let whoHasADay = Statement("select user_id from auth.active_day limit 100") { row in
    try row.value(0, as: ID<User>.self)
}

private let activeEvents = Statement(
    """
    select payload::text from auth.outbox
    where aggregate = 'user:' || $1::text and type = 'user.active'
    order by sequence limit 100
    """
) { row in try row.string(0) }

private let eventTypes = Statement(
    """
    select type from auth.outbox
    where aggregate = 'user:' || $1::text
    order by sequence limit 100
    """
) { row in try row.string(0) }

private let age = Statement<Void>(
    "update auth.active_day set day = day - 1 where user_id = $1"
)

private let makeOfficer = Statement<Void>(
    "update auth.user_account set roles = array['coo'] where id = $1"
)
