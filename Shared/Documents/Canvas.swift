internal import CPango
internal import Glibc

// Safety: the C struct lives at one address for the object's life and is used by one thread; the
// context that cairo gets is the object itself, which outlives the document; texts are lent for
// one call.

/// A tagged PDF whose bytes come out as its pages are finished, a part of a document; or a picture.
///
/// Text in any script by pango, which finds the fonts; what is not within a tag of its own belongs
/// to the innermost that is open. Lengths are points, 72 to the inch.
@safe final class Canvas {
    /// The fonts that a document has.
    enum Font: Int32, CaseIterable {
        case regular, small, bold, title

        var description: String {
            switch self {
            case .regular: "Noto Sans, DejaVu Sans, Sans 8.5"
            case .small: "Noto Sans, DejaVu Sans, Sans 7"
            case .bold: "Noto Sans, DejaVu Sans, Sans Bold 8.5"
            case .title: "Noto Sans, DejaVu Sans, Sans Bold 16"
            }
        }
    }

    /// Which side of a column a text stands at, whatever its direction is.
    enum Side: Int32 {
        case left = 0
        case right = 2
    }

    /// Which way a text runs as a whole.
    enum Direction: Int32 {
        /// As its first letter that has one does.
        case ofText = 0
        case leftToRight = 1
        case rightToLeft = 2
    }

    /// What it becomes; a picture is of one page.
    enum Medium: Int32 { case pdf, svg, png }

    /// Pixels a point of a picture of pixels.
    static let pixels = 2.0

    /// The document or its libraries failed.
    struct Failure: Error {}

    private let pdf: UnsafeMutablePointer<ezwallet_pdf>
    /// What has been written and not been taken.
    private var output: [UInt8] = []

    /// - Throws: where the libraries are not there.
    init(_ medium: Medium = .pdf, width: Double, height: Double) throws(Failure) {
        unsafe pdf = UnsafeMutablePointer.allocate(capacity: 1)
        unsafe pdf.initialize(to: ezwallet_pdf())
        guard unsafe ezwallet_pdf_open(pdf) == 1 else { throw Failure() }
        let names = unsafe Font.allCases.map { unsafe strdup($0.description) }
        defer { unsafe names.forEach { unsafe free($0) } }
        var fonts = unsafe names.map { unsafe UnsafePointer<CChar>($0) }
        let begun = unsafe ezwallet_pdf_begin(
            pdf,
            medium.rawValue,
            Self.pixels,
            width,
            height,
            { context, bytes, count in
                guard let context = unsafe context else { return 11 }
                let writer = unsafe Unmanaged<Canvas>.fromOpaque(context)
                    .takeUnretainedValue()
                unsafe writer.take(UnsafeBufferPointer(start: bytes, count: Int(count)))
                return 0
            },
            Unmanaged.passUnretained(self).toOpaque(),
            &fonts,
            Int32(fonts.count)
        )
        guard begun == 1 else { throw Failure() }
    }

    private func take(_ bytes: UnsafeBufferPointer<UInt8>) {
        unsafe output.append(contentsOf: bytes)
    }

    /// The bytes since the last call.
    func takeOutput() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &output)
        return taken
    }

    /// Draws within a tag of the structure that screen readers follow.
    func tagged(_ name: StaticString, _ draw: () -> Void) {
        let text = name.description
        unsafe ezwallet_pdf_tag(pdf, text)
        draw()
        unsafe ezwallet_pdf_untag(pdf, text)
    }

    /// Opens a tag that is closed later.
    func open(_ name: StaticString) { unsafe ezwallet_pdf_tag(pdf, name.description) }

    /// Closes the innermost.
    func close(_ name: StaticString) { unsafe ezwallet_pdf_untag(pdf, name.description) }

    /// Where a text is laid out before it is shown: as many as a row has.
    enum Place: Int32, CaseIterable {
        case day, name, details, amount, balance, sixth, seventh, eighth
    }

    /// What a text takes, in points.
    struct Extent {
        let width: Double
        let height: Double
        /// From its top to where the letters of its first line stand.
        let baseline: Double
    }

    /// Lays a text out in a column, `most` points high at most; with no `width`, on one line.
    @discardableResult
    func layOut(
        _ text: String,
        in font: Font,
        at place: Place,
        width: Double? = nil,
        most: Double = 14,
        side: Side = .left,
        direction: Direction = .ofText
    ) -> Extent {
        var text = text
        let extent = text.withUTF8 { bytes in
            unsafe bytes.withMemoryRebound(to: CChar.self) { letters in
                unsafe ezwallet_pdf_lay_out(
                    pdf,
                    place.rawValue,
                    letters.baseAddress,
                    Int32(letters.count),
                    font.rawValue,
                    width ?? -1,
                    most,
                    side.rawValue,
                    direction.rawValue
                )
            }
        }
        return Extent(width: extent.width, height: extent.height, baseline: extent.baseline)
    }

    /// Shows what was laid out with its top left corner there; `grey` from 0, black, to 1.
    func show(_ place: Place, x: Double, y: Double, grey: Double = 0) {
        unsafe ezwallet_pdf_show(pdf, place.rawValue, x, y, grey)
    }

    /// A line across.
    func rule(from: Double, to: Double, y: Double, width: Double = 0.5, grey: Double = 0.7) {
        unsafe ezwallet_pdf_rule(pdf, from, to, y, width, grey)
    }

    /// A piece of a disc between two angles, clockwise from the right; all of it without angles.
    func wedge(
        x: Double,
        y: Double,
        radius: Double,
        _ colour: Tint,
        between angles: (start: Double, end: Double)? = nil,
        edge: Tint = .white,
        edgeWidth: Double = 1
    ) {
        unsafe ezwallet_pdf_wedge(
            pdf,
            x,
            y,
            radius,
            angles?.start ?? 0,
            angles?.end ?? 0,
            angles == nil ? 1 : 0,
            colour.rgb,
            edge.rgb,
            edgeWidth
        )
    }

    /// A line around a disc.
    func circle(x: Double, y: Double, radius: Double, _ colour: Tint) {
        unsafe ezwallet_pdf_circle(pdf, x, y, radius, colour.rgb)
    }

    /// A filled box.
    func box(
        x: Double,
        y: Double,
        width: Double,
        height: Double,
        _ colour: Tint,
        edge: Tint = .edge
    ) {
        unsafe ezwallet_pdf_box(pdf, x, y, width, height, colour.rgb, edge.rgb)
    }

    /// A line through points.
    func line(
        _ points: [(x: Double, y: Double)],
        width: Double,
        _ colour: Tint,
        dashes: [Double] = []
    ) {
        let numbers = points.flatMap { [$0.x, $0.y] }
        unsafe ezwallet_pdf_polyline(
            pdf,
            numbers,
            Int32(points.count),
            width,
            colour.rgb,
            dashes,
            Int32(dashes.count)
        )
    }

    /// The page is done.
    func endPage() { unsafe ezwallet_pdf_show_page(pdf) }

    /// The document is done; its last bytes are in `takeOutput`.
    func end() throws(Failure) {
        guard unsafe ezwallet_pdf_end(pdf) == 1 else { throw Failure() }
    }

    deinit { unsafe pdf.deallocate() }
}
