import Crypto
import HTTP
import Loops
import ReportFiles
import Synchronization
import TestKit
import Testing
import WalletProtocol

@testable import AnalyticsService
@testable import ServiceKit

/// One key, known by its name.
private final class OneKey: KeySource {
    let key: ES256Key
    init(_ key: ES256Key) { self.key = key }
    func key(_ id: String) async -> VerificationKey? {
        VerificationKey(
            KeyView(
                keyType: "EC",
                curve: "P-256",
                x: Base64URL.encode(key.x),
                y: Base64URL.encode(key.y),
                keyID: key.id,
                use: "sig",
                algorithm: "ES256"
            )
        )
    }
}

/// Calls over a socket, through the stack that stands before every endpoint.
@Suite struct RightsTests {
    private static let issuer = "https://us"

    private struct Answer {
        let status: Int
        let type: String?
        let text: String
    }

    /// Serves analytics on a port, and gives `body` a way to call it as somebody with roles.
    /// - Parameters:
    ///   - groups: what groups answers, with who it is that calls.
    ///   - labels: what the ledger answers of categories, and of nil groups.
    private func serve(
        groups: @escaping @Sendable (AccessQuery, ID<User>) throws(APIError) -> AccessView = {
            _,
            _ throws(APIError) in throw APIError(.unavailable)
        },
        labels: @escaping @Sendable (CategoryLabelRequest?) throws(APIError) -> CategoryLabels = {
            _ throws(APIError) in throw APIError(.unavailable)
        },
        audit: @escaping @Sendable (InsightsReading) throws(APIError) -> Void = {
            _ throws(APIError) in
        },
        _ body:
            @escaping @Sendable (
                isolated LoopActor, Bench, (String, [Role]?) async throws -> Answer
            ) async throws -> Void
    ) async throws {
        let key = try ES256Key.generate()
        let user = ID<User>.new()
        try await withBench { actor, bench in
            let metrics = Metrics()
            let router = Router(metrics: metrics)
            addRoutes(
                to: router,
                bench.reports,
                ReportRights { query throws(APIError) in try groups(query, user) },
                ScopeDocuments(
                    documents: ReportDocuments(
                        blocking: BlockingPool(threads: 1, queueMax: 8),
                        loop: actor.loop
                    ) { _ in DocumentReader(language: "en", timeZone: "UTC") },
                    labels: CategoryLabelReader(
                        ledger: { request throws(APIError) in try labels(request) },
                        groups: { _, _ throws(APIError) in try labels(nil).items.map(\.ofGroup) }
                    )
                ),
                bench.insights,
                bench.usage,
                InsightAudit { reading throws(APIError) in try audit(reading) }
            )
            let revocations = Revocations()
            revocations.add([])
            let identity = Identity(
                verifier: TokenVerifier(issuer: Self.issuer, keys: OneKey(key)),
                revocations: revocations,
                publicOrigin: Self.issuer
            )
            let handler = ServiceHandler(
                router: router,
                identity: identity,
                security: SecurityLog(Logger(service: "test", level: .error), metrics: metrics),
                logger: Logger(service: "test", level: .error),
                metrics: metrics,
                readiness: ServiceReadiness(),
                requestNanoseconds: 20_000_000_000
            )
            let server = HTTPServer(loops: LoopGroup(sharing: [actor.loop]))
            server.attach(handler, on: actor)
            let port = try server.listen(
                host: "127.0.0.1",
                port: Int(try FreePort.pick()),
                on: actor
            )
            let upstream = Upstream(host: "127.0.0.1", port: port, loop: actor.loop)
            try await body(actor, bench) { target, roles in
                var headers = HeaderBlock()
                if let roles {
                    headers.append(.authorization, "Bearer " + Self.token(user, roles, key))
                }
                let exchange = try await upstream.send(
                    ClientRequest(
                        method: .get,
                        target: Array(target.utf8)[...],
                        host: "us",
                        headers: headers,
                        body: .none,
                        deadline: monotonicNanoseconds() + 20_000_000_000
                    )
                )
                let bytes = try await exchange.body(max: 1 << 20)
                return Answer(
                    status: exchange.head.status,
                    type: exchange.head.text(.contentType),
                    text: String(decoding: bytes, as: UTF8.self)
                )
            }
            upstream.closeIdle()
            await server.drain(within: 1_000_000_000, on: actor.loop)
        }
    }

    private static func token(_ user: ID<User>, _ roles: [Role], _ key: ES256Key) -> String {
        let now = Int(Instant.now().secondsSince1970)
        let claims = AccessClaims(
            issuer: issuer,
            audience: AccessClaims.userAudience,
            subject: user.text,
            session: .new(),
            roles: roles,
            generation: 1,
            issuedAt: now,
            expiresAt: now + 60
        )
        return CompactJWS.sign(JSON.write(claims), with: key)
    }

    @Test func onlyTheRoleSeesInsights() async throws {
        try await serve { _, _, call in
            for target in [
                "/v1/insights/spending?groupBy=category&groupBy=area",
                "/v1/insights/usage?measure=active&groupBy=language",
            ] {
                for (roles, status) in [
                    (nil, 401), ([.user], 403), ([.admin], 403), ([.user, .admin], 403),
                    ([.coo], 200),
                ] as [([Role]?, Int)] {
                    let answer = try await call(target, roles)
                    #expect(answer.status == status, "\(target) \(roles ?? []): \(answer.text)")
                }
            }
        }
    }

    @Test func eachQueryIsToldToTheAuditLogOrIsNotAnswered() async throws {
        let told = Mutex<[InsightsReading]>([])
        let targets = [
            "/v1/insights/spending?groupBy=category&month=2024-02",
            "/v1/insights/usage?measure=funnel&area=IT-RM", "/v1/insights/usage?measure=ad-clicks",
        ]
        try await serve(audit: { reading in told.withLock { $0.append(reading) } }) { _, _, call in
            for target in targets { _ = try await call(target, [.coo]) }
            // Neither is a query of somebody who may ask.
            _ = try await call(targets[0], [.user])
            _ = try await call("/v1/insights/usage?measure=active&x=1", [.coo])
        }
        let all = told.withLock { $0 }
        #expect(all.map { $0.path + "?" + $0.query } == targets)
        #expect(Set(all.map(\.userID)).count == 1)
        try await serve(audit: { _ throws(APIError) in throw APIError(.internalError) }) {
            _,
            _,
            call in
            for target in targets {
                let answer = try await call(target, [.coo])
                #expect(answer.status == 503, "\(answer.text)")
            }
        }
    }

    @Test func everyBadParameterOfUsageIsNamed() async throws {
        try await serve { _, _, call in
            let bad =
                "/v1/insights/usage?groupBy=category&ageBand=7&month=13&format=pdf&x=1"
                + "&from=2024-02-30&area=" + String(repeating: "&area=IT", count: 50)
            let answer = try await call(bad, [.coo])
            #expect(answer.status == 400)
            for name in [
                "groupBy", "ageBand", "month", "format", "x", "from", "area", "measure",
            ] { #expect(answer.text.contains("query:\(name)"), "\(name): \(answer.text)") }
            for (target, status, word) in [
                ("measure=ad-clicks", 422, "unknown-measure"),
                ("measure=ad-clicks", 422, "registrations, active, retention, funnel"),
                ("measure=active&measure=funnel", 400, "query:measure"),
                ("measure=active&groupBy=kind", 400, "query:groupBy"),
                ("measure=active&from=2024-02-01&to=2024-01-01", 400, "query:to"),
                ("measure=active&from=0001-01-01&to=9999-12-31", 400, "query:to"),
                ("measure=active&from=2014-01-01&to=2024-01-01", 400, "query:to"),
                ("measure=active&area=IT-RM&area=IT-AO", 400, "query:area"),
                ("measure=funnel&area=IT&area=FR&groupBy=language", 400, "query:area"),
                ("measure=retention&ageBand=18-24&ageBand=25-34", 400, "query:ageBand"),
                ("measure=imports&language=it&language=de", 400, "query:language"),
                ("measure=active&area=IT-RM&area=IT-AO&groupBy=area", 200, "cells"),
            ] {
                let answer = try await call("/v1/insights/usage?" + target, [.coo])
                #expect(answer.status == status && answer.text.contains(word), "\(answer.text)")
            }
            // As a typed query refuses them.
            for (report, name, value) in [
                ("spending?", "area", "it"), ("spending?", "area", "%27"),
                ("usage?measure=active&", "area", "IT-"),
                ("usage?measure=active&", "language", "%25"),
            ] {
                let target = "/v1/insights/\(report)\(name)=\(value)"
                let answer = try await call(target, [.coo])
                #expect(answer.status == 400, "\(target)")
                #expect(
                    answer.text.contains("query:\(name)") && answer.text.contains("invalid-value")
                )
            }
        }
    }

    @Test func onlyUsersHaveReports() async throws {
        try await serve { _, _, call in
            for target in [
                "/v1/reports/summary", "/v1/reports/categories?direction=in",
                "/v1/reports/trends?interval=week&by=category", "/v1/reports/cash-flow",
            ] {
                for (roles, status) in [(nil, 401), ([.coo], 403), ([.user], 200)]
                    as [([Role]?, Int)]
                {
                    let answer = try await call(target, roles)
                    #expect(answer.status == status, "\(target): \(answer.text)")
                }
            }
        }
    }

    @Test func everyBadParameterIsNamed() async throws {
        try await serve { _, _, call in
            let target = "/v1/insights/spending?groupBy=name&ageBand=7&month=13&format=exe&x=1"
            let answer = try await call(target, [.coo])
            #expect(answer.status == 400)
            for name in ["groupBy", "ageBand", "month", "format", "x"] {
                #expect(answer.text.contains("query:\(name)"), "\(name): \(answer.text)")
            }
            let reversed = "/v1/reports/summary?from=2024-02-01&to=2024-01-01"
            let refused = try await call(reversed, [.user])
            #expect(refused.status == 400 && refused.text.contains("query:to"))
            let report =
                "/v1/reports/trends?interval=hour&by=day&from=2024-02-30&minAmount=x&accountId=1"
                + "&direction=up&currency=XXX1&folderId=1"
            let unread = try await call(report, [.user])
            #expect(unread.status == 400)
            for name in [
                "interval", "by", "from", "minAmount", "accountId", "direction", "currency",
                "folderId",
            ] { #expect(unread.text.contains("query:\(name)"), "\(name): \(unread.text)") }
            let endless =
                "/v1/reports/cash-flow?from=0001-01-01&to=9999-12-31&minAmount=-1&maxAmount=0.001"
            let tooMuch = try await call(endless, [.user])
            #expect(tooMuch.status == 400)
            for name in ["interval", "minAmount", "maxAmount"] {
                #expect(tooMuch.text.contains("query:\(name)"), "\(name): \(tooMuch.text)")
            }
            let crossed =
                "/v1/reports/summary?from=2024-02-01&to=2024-01-01&minAmount=2&maxAmount=1"
            let both = try await call(crossed, [.user])
            #expect(both.text.contains("query:to") && both.text.contains("query:maxAmount"))
        }
    }

    @Test func groupsAndChildrenAreToldOfToThoseWhomGroupsNames() async throws {
        let (group, child) = (ID<WalletProtocol.Group>.new(), ID<User>.new())
        let paths = ["summary", "categories", "trends", "cash-flow"].flatMap { name in
            ["groups/\(group)/\(name)", "children/\(child)/\(name)"]
        }
        let answers: [(status: Int, answer: Result<AccessView, APIError>)] = [
            (200, .success(AccessView(isMember: true, currency: .jpy))),
            (404, .success(AccessView(isMember: false))), (503, .failure(APIError(.unavailable))),
            (503, .failure(APIError(.gatewayTimeout))), (503, .failure(APIError(.forbidden))),
        ]
        for (status, answer) in answers {
            try await serve(
                groups: { query, user throws(APIError) in
                    let isMeant = [
                        AccessQuery.group(group, of: user), .child(child, of: user),
                    ].contains(query)
                    guard isMeant else { throw APIError(.internalError) }
                    return try answer.get()
                }
            ) { _, _, call in
                for path in paths {
                    let told = try await call("/v1/reports/\(path)", [.user])
                    #expect(told.status == status, "\(path): \(told.text)")
                    let isYen = told.text.contains("\"currency\":\"JPY\"")
                    #expect(isYen == (status == 200 && path.hasPrefix("groups")), "\(path)")
                }
            }
        }
    }

    @Test func whatFiguresAreNotReleasedInIsNamed() async throws {
        try await serve { _, _, call in
            let answer = try await call("/v1/insights/spending?in=GBP", [.coo])
            #expect(answer.status == 400 && answer.text.contains("query:in"))
            #expect(answer.text.contains("CHF, EUR, IDR, JPY, USD"))
        }
    }

    @Test func theLastAgeBandIsTakenUnescaped() async throws {
        try await serve { _, _, call in
            let target = "/v1/insights/spending?groupBy=age-band&ageBand="
            let plain = try await call(target + "65+", [.coo])
            let escaped = try await call(target + "65%2B", [.coo])
            #expect(plain.status == 200 && plain.text == escaped.text)
            #expect(plain.text.contains(#""ageBand":"65+""#))
            let other = try await call(target + "65", [.coo])
            #expect(other.status == 400)
        }
    }

    @Test func theTableComesAsCSVToo() async throws {
        try await serve { _, bench, call in
            for index in 0..<Bench.usersMin {
                let posting = try posting(ofUser: index)
                let noRate = try self.posting(ofUser: index, Money(minorUnits: -700, .chf))
                try await bench.apply([envelope(posting), envelope(noRate)])
            }
            let asOf = try await bench.release().releasedAt.text
            let target =
                "/v1/insights/spending?from=2023-05-01&to=2023-05-09&groupBy=category&format=csv"
            let answer = try await call(target, [.coo])
            #expect(answer.type == "text/csv; charset=utf-8")
            let lines = answer.text.split(separator: "\r\n").map(String.init)
            // A line of each division and of none, whether somebody is in it or not.
            #expect(lines.count == 1 + 16 + 1)
            let period = "2023-05-01,2023-05-31"
            // Of nothing that is told coarser, nor left out.
            let told = "\(asOf),\(asOf),,false"
            #expect(lines[1] == "01,,,,,,false,37.50,3,3,12.50,12.50,EUR,\(period),,12.50,,\(told)")
            #expect(lines[2] == "02,,,,,,true,,,,,,EUR,\(period),,,,\(told)")
            #expect(lines.last == ",,,,,,,,,,,,CHF,\(period),21.00,,,\(asOf),,,false")
        }
    }

    /// Figures alone need no names; what is shown to people does.
    @Test func withoutNamesThereAreFiguresAndNoDocuments() async throws {
        let (group, category) = (ID<WalletProtocol.Group>.new(), ID<GroupCategory>.new())
        let label = CategoryLabel(
            categoryID: category.retagged(WalletProtocol.Category.self),
            name: "=Bread",
            color: Colour(rgb: 0)
        )
        let added = GroupExpenseAdded(
            expenseID: .new(),
            groupID: group,
            amount: Money(minorUnits: 700, .eur),
            day: try #require(Day("2023-05-10")),
            categoryID: category,
            shares: [],
            addedBy: .new()
        )
        let path = "/v1/reports/groups/\(group)/categories?from=2023-05-01&to=2023-05-31"
        for isAnswered in [true, false] {
            try await serve(
                groups: { _, _ throws(APIError) in AccessView(isMember: true, currency: .eur) },
                labels: { _ throws(APIError) in
                    guard isAnswered else { throw APIError(.gatewayTimeout) }
                    return CategoryLabels(items: [label])
                }
            ) { _, bench, call in
                try await bench.apply([envelope(added, from: .groups)])
                let figures = try await call(path, [.user])
                #expect(figures.status == 200 && figures.text.contains("7.00"))
                let table = try await call(path + "&format=csv", [.user])
                #expect(table.status == (isAnswered ? 200 : 503), "\(table.text)")
                #expect(table.text.contains(",\"'=Bread\",") == isAnswered, "\(table.text)")
                for format in ["pdf", "svg", "png"] where !isAnswered {
                    let refused = try await call(path + "&format=\(format)", [.user])
                    #expect(refused.status == 503 && refused.text.contains("unavailable"))
                }
            }
        }
    }

    private func posting(
        ofUser index: Int,
        _ amount: Money = Money(minorUnits: -1_250, .eur)
    ) throws -> TransactionPosted {
        TransactionPosted(
            source: JournalLine(entryID: .new(), place: 1),
            transactionID: .new(),
            version: 1,
            kind: .posted,
            userID: .new(),
            accountID: .new(),
            accountKind: .wallet,
            amount: amount,
            day: try #require(Day("2023-05-1\(index)")),
            categoryID: .new(),
            coicop: .food,
            recordedAt: .now()
        )
    }
}

extension CategoryLabel {
    /// The same as groups tells it.
    fileprivate var ofGroup: GroupCategoryView {
        GroupCategoryView(
            id: categoryID.retagged(GroupCategory.self),
            name: name,
            color: color,
            type: .both,
            isDefault: false
        )
    }
}
