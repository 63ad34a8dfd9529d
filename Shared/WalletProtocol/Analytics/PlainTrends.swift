// A year by day and category is thousands of points: so they are written by hand.

extension TrendPoint {
    /// As the description writes it.
    public func write(to writer: inout JSONWriter) {
        writer.append(behind: #"{"from":""#, quoted: from)
        writer.append(behind: #","to":""#, quoted: to)
        writer.append(behind: #","income":"#, income)
        writer.append(behind: #","expenses":"#, expenses)
        writer.append(behind: #","net":"#, net)
        writer.append(literal: "}")
    }
}
