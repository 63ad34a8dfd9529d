import ServiceKit
import Text
import WalletProtocol

/// The languages that a profile may have.
struct ListLanguages: Handler {
    static let endpoint = Profiles.languages

    func handle(
        _ request: Request<NoQuery, NoBody>,
        as caller: Caller
    ) async throws -> Response<Page<LanguageView>> {
        .ok(Page(items: Self.views, nextCursor: nil))
    }

    static let views = Languages.all.map { LanguageView(tag: $0, name: Languages.ownName($0)) }
}
