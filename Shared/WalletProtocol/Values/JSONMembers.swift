// Members of an object that is written by hand: each behind its name, and what comes before that.
extension JSONWriter {
    /// Whose text needs no escapes, behind the quote that opens it.
    mutating func append(behind opening: StaticString, quoted value: some TextValue) {
        append(literal: opening)
        value.appendText(to: &self)
        append(literal: "\"")
    }

    mutating func append(behind opening: StaticString, _ value: some JSONValue) {
        append(literal: opening)
        value.write(to: &self)
    }
}
