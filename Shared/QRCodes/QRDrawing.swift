extension QRCode {
    /// The code as a drawing, `image/svg+xml`, dark on white, with its quiet zone.
    ///
    /// SVG and nothing else: an `<img>` shows it, a phone shares it, a printer has it sharp at any
    /// size, and it is text that is written here, without a library. Each row's dark runs are
    /// rectangles of one path.
    package var svg: [UInt8] {
        let side = size + 2 * Self.quietZone
        var path = ""
        for y in 0..<size {
            var x = 0
            while x < size {
                let start = x
                while isDark(x, y) { x += 1 }
                if x > start {
                    let (left, top) = (start + Self.quietZone, y + Self.quietZone)
                    path += "M\(left) \(top)h\(x - start)v1h-\(x - start)z"
                } else {
                    x += 1
                }
            }
        }
        return Array(
            """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(side * Self.pixelsPerModule)" \
            height="\(side * Self.pixelsPerModule)" viewBox="0 0 \(side) \(side)" \
            shape-rendering="crispEdges"><path fill="#fff" d="M0 0h\(side)v\(side)h-\(side)z"/>\
            <path d="\(path)"/></svg>
            """.utf8
        )
    }

    /// As large as it is where nobody says how large: a module is read from a screen.
    private static let pixelsPerModule = 8
}
