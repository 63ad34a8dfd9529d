import HTTP
import ServiceKit
import WalletProtocol

/// How a session is told: tokens in the body, or, to a page of our own, as cookies alone.
///
/// Source: RFC 6265bis (`__Host-` prefix, SameSite).
struct SessionAnswer {
    let tokens: SessionTokens
    private let cookies: [String]

    init<Query, Body>(
        _ session: OpenedSession,
        for request: Request<Query, Body>,
        configuration: AuthConfiguration
    ) {
        let isOurPage = request.http.head.isFrom(configuration.publicURL)
        tokens = SessionTokens(
            accessToken: isOurPage ? nil : session.accessToken,
            tokenType: isOurPage ? nil : "Bearer",
            expiresIn: session.expiresIn,
            refreshToken: isOurPage ? nil : session.refreshToken,
            sessionExpiresAt: session.sessionExpiresAt,
            deviceToken: isOurPage ? nil : session.deviceToken
        )
        cookies =
            isOurPage
            ? [
                Self.cookie("__Host-access", session.accessToken, session.expiresIn),
                Self.cookie(
                    "__Host-refresh",
                    session.refreshToken,
                    configuration.refreshTokenSeconds
                ),
                Self.cookie(
                    "__Host-device",
                    session.deviceToken,
                    Int(DeviceToken.lifeSeconds)
                ),
            ] : []
    }

    private static func cookie(_ name: String, _ value: String, _ seconds: Int) -> String {
        "\(name)=\(value); Path=/; Max-Age=\(seconds); Secure; HttpOnly; SameSite=Strict"
    }

    /// Adds the cookies to an answer.
    func on<View>(_ response: Response<View>) -> Response<View> {
        var response = response
        for cookie in cookies { response.headers.append(.setCookie, cookie) }
        return response
    }

    /// Takes the tokens back; that of the device stays, by which it is known again.
    static func clearing<View>(_ response: Response<View>) -> Response<View> {
        var response = response
        for name in ["__Host-access", "__Host-refresh"] {
            response.headers.append(.setCookie, cookie(name, "", 0))
        }
        return response
    }
}
