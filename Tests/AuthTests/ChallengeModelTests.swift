import HTTP
import Loops
import Postgres
import TestKit
import Testing
import WalletProtocol

@testable import AuthService
@testable import ServiceKit

/// Random histories of challenges against a model of a few lines.
@Suite struct ChallengeModelTests {
    /// What a challenge can be, without a database.
    struct Model: CustomStringConvertible {
        var codesSent = 1
        var isUsed = false
        var isExhausted = false
        var isExpired = false

        var description: String {
            "\(codesSent) sent\(isUsed ? ", used" : "")\(isExhausted ? ", exhausted" : "")"
                + "\(isExpired ? ", expired" : "")"
        }

        /// What refuses any answer.
        var refusal: String? {
            if isUsed { return "challenge-exhausted" }
            if isExpired { return "challenge-expired" }
            return isExhausted ? "challenge-exhausted" : nil
        }

        mutating func right() -> String {
            if let refusal { return refusal }
            isUsed = true
            return "200"
        }

        mutating func wrong() -> String {
            if let refusal { return refusal }
            guard codesSent < 3 else {
                isExhausted = true
                return "challenge-exhausted"
            }
            codesSent += 1
            return "wrong-code \(3 - codesSent)"
        }

        /// Takes what answers at the same time told, each in some order; false: impossible.
        mutating func atOnce(_ told: [String], hasRight: Bool, hasWrong: Bool, sent: Int) -> Bool {
            if let refusal { return told.allSatisfy { $0 == refusal } && sent == codesSent }
            let good = told.filter { $0 == "200" }.count
            guard good <= (hasRight ? 1 : 0), hasWrong || good == 1 else { return false }
            let others = Set(told).subtracting([
                "200", "wrong-code 0", "wrong-code 1", "wrong-code 2", "challenge-exhausted",
            ])
            guard others.isEmpty, (codesSent...3).contains(sent) else { return false }
            if good == 1 {
                isUsed = true
            } else {
                guard sent > codesSent || told.contains("challenge-exhausted") else { return false }
                isExhausted = told.contains("challenge-exhausted")
            }
            guard !isExhausted || sent == 3 else { return false }
            codesSent = sent
            return true
        }
    }

    private static let withoutLimits = [
        "EZWALLET_SMS_HOURLY_MAX": "0", "EZWALLET_SMS_COUNTRY_HOURLY_MAX": "0",
        "EZWALLET_CODES_PER_ADDRESS_MAX": "0",
    ]

    private static func told(_ answer: ServiceRig.Answer) -> String {
        if answer.status == 200 { return "200" }
        let left = answer.text.split(separator: "\"resendsLeft\":").dropFirst().first?.first
        return (answer.code ?? "\(answer.status)") + (left.map { " \($0)" } ?? "")
    }

    @Test func everyHistoryIsOneOfTheModel() async throws {
        let seed = UInt64.random(in: .min ... .max)
        try await Harness.run(Self.withoutLimits) { actor, harness in
            var random = SeededGenerator(seed: seed)
            let bound = LoopBound(harness, to: actor)
            let expire = Statement<Void>(
                "update auth.challenge set expires_at = now() - interval '1 s' where id = $1"
            )
            for round in 0..<24 {
                let phone = "+39333\(1_000_000 + round)"
                let made = try harness.view(
                    try await harness.challenge(
                        NewChallenge(purpose: .phoneVerification, phone: phone)
                    )
                )
                var model = Model()
                var old: [String] = []
                for step in 0..<Int.random(in: 1...8, using: &random) {
                    let place: Comment = "seed \(seed), round \(round), step \(step): \(model)"
                    let right = try await harness.code(for: phone)
                    let wrong =
                        old.last { $0 != right } ?? (right == "000000" ? "1" : "0") + "00000"
                    old.append(right)
                    switch Int.random(in: 0..<10, using: &random) {
                    case 0..<2:
                        let answer = try await harness.answer(made.id, right)
                        let expected = model.right()
                        #expect(Self.told(answer) == expected, place)
                    case 2..<5:
                        let answer = try await harness.answer(made.id, wrong)
                        let expected = model.wrong()
                        #expect(Self.told(answer) == expected, place)
                    case 5:
                        try await harness.database.execute(expire, made.id)
                        model.isExpired = true
                    default:
                        // Each its own way, drawn before they go off.
                        let count = Int.random(in: 2...6, using: &random)
                        let share = Int.random(in: 0...2, using: &random)
                        let codes = (0..<count).map { _ in
                            Int.random(in: 0...2, using: &random) < share ? right : wrong
                        }
                        let told = try await atOnce(count, on: actor) { actor, index in
                            Self.told(try await bound.on(actor).answer(made.id, codes[index]))
                        }
                        let sent = try await harness.messages(to: phone).count
                        let isPossible = model.atOnce(
                            told,
                            hasRight: codes.contains(right),
                            hasWrong: codes.contains(wrong),
                            sent: sent
                        )
                        #expect(isPossible, "\(place) then \(sent) sent, \(codes): \(told)")
                    }
                    let sent = try await harness.messages(to: phone).count
                    #expect(sent == model.codesSent, place)
                }
            }
        }
    }
}
