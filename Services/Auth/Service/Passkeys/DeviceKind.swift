/// What a passkey is called whose owner gives it no name: the kind of device by its own word.
extension Device {
    var kind: String {
        let kinds = ["iPhone", "iPad", "Android", "Macintosh", "Windows", "Linux"]
        let found = kinds.first { kind in
            name.indices.contains { name[$0...].hasPrefix(kind) }
        }
        return found == "Macintosh" ? "Mac" : found ?? "Passkey"
    }
}
