import Testing
import WalletProtocol

@Suite struct CatalogueTests {
    @Test func namesAndRoutesAreThereOnce() {
        let names = Catalogue.all.map(\.name)
        #expect(Set(names).count == names.count)
        let routes = Catalogue.all.map { "\($0.method.rawValue) \($0.path.text)" }
        #expect(Set(routes).count == routes.count)
    }

    @Test func internalCallsStandApart() {
        #expect(Catalogue.public.allSatisfy { !$0.right.isInternal })
        #expect(Catalogue.internal.allSatisfy { $0.right.isInternal })
        #expect(Catalogue.internal.allSatisfy { $0.path.text.hasPrefix("/internal/") })
    }

    @Test func secretsAreNeverKeptForAReplay() {
        for endpoint in Catalogue.all where endpoint.answersSecrets {
            #expect(endpoint.idempotency == .ignored, "\(endpoint.name)")
        }
    }

    @Test func onlyPostsTakeKeys() {
        for endpoint in Catalogue.all where endpoint.method != .post {
            #expect(endpoint.idempotency == .ignored, "\(endpoint.name)")
        }
    }

    @Test func errorCodesAreStable() {
        let texts = ErrorCode.all.map(\.text)
        #expect(Set(texts).count == texts.count)
        for code in ErrorCode.all {
            #expect(code.text.wholeMatch(of: /[a-z0-9]+(-[a-z0-9]+)*/) != nil, "\(code.text)")
            #expect((400...599).contains(code.status))
            #expect(!code.title.isEmpty)
        }
    }

    @Test func everyProblemSaysWhatToDo() {
        let field = FieldError(pointer: "/a", code: .required, detail: "must be there")
        for code in ErrorCode.all {
            for error in [APIError(code), APIError(code, errors: [field])] {
                let detail = Problem(error, traceID: "t").detail ?? ""
                #expect(detail.hasSuffix(".") && detail.contains(" "), "\(code.text)")
                #expect(detail != code.title)
            }
            #expect(Problem(APIError(code, "as it is"), traceID: "t").detail == "as it is")
        }
    }

    /// The parameters of a path, where a tree of one template finds it.
    private func match(_ template: PathTemplate, _ path: String) -> PathParameters? {
        let tree = PathTree()
        #expect(tree.add(template) == 0)
        let bytes = Array(path.utf8)[...]
        guard let found = tree.find(bytes.span) else { return nil }
        #expect(tree.place(of: bytes.span) == found.place)
        return template.parameters(at: found.parameters, of: bytes)
    }

    @Test func pathsGiveBackWhatTheyWereMadeOf() {
        let template: PathTemplate = "/v1/groups/{id}/expenses/{expenseId}"
        let path = template.path(["id": "a/b ü", "expenseId": "x"])
        #expect(path == "/v1/groups/a%2fb%20%c3%bc/expenses/x")
        let found = match(template, path)
        #expect(found?["id"] == "a/b ü")
        #expect(found?["expenseId"] == "x")
        #expect(match(template, "/v1/groups//expenses/x") == nil)
        #expect(match(template, "/v1/groups/a/expenses/x/") == nil)
        #expect(match(template, "/v1/groups/%zz/expenses/x") == nil)
        #expect(match(template, "/v1/groups/%00/expenses/x") == nil)
        #expect(match(template, "/v1/groups/%ff/expenses/x") == nil)
    }

    @Test func malformedIdentifiersAreNotFound() throws {
        let parameters = try #require(match(Accounts.get.path, "/v1/accounts/nonsense"))
        #expect(throws: APIError.notFound) { try parameters.id(of: Account.self) }
        let id = ID<Account>.new()
        let path = Accounts.get.path.path(["id": id.text])
        #expect(try match(Accounts.get.path, path)?.id(of: Account.self) == id)
    }
}
