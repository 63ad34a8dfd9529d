import HTTP
import QRCodes
import ServiceKit
import WalletProtocol

extension Response where View == NoView {
    /// 200 with a code's drawing; in a page of its own it is a picture and nothing more.
    static func drawing(of code: QRCode) -> Response {
        var response = unkept(code.svg, as: "image/svg+xml")
        response.headers.append("content-security-policy", ContentPolicy.file)
        return response
    }

    /// 200 with bytes that nobody keeps: whoever has them may do what they say.
    static func unkept(_ bytes: some Collection<UInt8>, as mediaType: String) -> Response {
        .file(Array(bytes), type: mediaType)
    }
}
