/// A whole number of any length, multiplied as at school: what conversions are held up against.
struct LongNumber: Comparable {
    /// Decimal digits, the last first, without zeros in front.
    let digits: [UInt8]

    init(digits: [UInt8]) {
        self.digits = Array(digits.reversed().drop { $0 == 0 }.reversed())
    }

    init(_ value: Int64) {
        self.init(digits: String(value).utf8.reversed().map { $0 - UInt8(ascii: "0") })
    }

    /// With so many zeros behind it.
    func shifted(_ zeros: Int) -> LongNumber {
        LongNumber(digits: Array(repeating: 0, count: zeros) + digits)
    }

    static func + (left: LongNumber, right: LongNumber) -> LongNumber {
        var sum: [UInt8] = []
        var carry: UInt8 = 0
        for index in 0...max(left.digits.count, right.digits.count) {
            let first = index < left.digits.count ? left.digits[index] : 0
            let second = index < right.digits.count ? right.digits[index] : 0
            sum.append((first + second + carry) % 10)
            carry = (first + second + carry) / 10
        }
        return LongNumber(digits: sum)
    }

    static func * (left: LongNumber, right: LongNumber) -> LongNumber {
        var columns = Array(repeating: 0, count: left.digits.count + right.digits.count + 1)
        for (row, first) in left.digits.enumerated() {
            for (column, second) in right.digits.enumerated() {
                columns[row + column] += Int(first) * Int(second)
            }
        }
        var carry = 0
        return LongNumber(
            digits: columns.map { column in
                let sum = column + carry
                carry = sum / 10
                return UInt8(sum % 10)
            }
        )
    }

    static func < (left: LongNumber, right: LongNumber) -> Bool {
        guard left.digits.count == right.digits.count else {
            return left.digits.count < right.digits.count
        }
        return left.digits.reversed().lexicographicallyPrecedes(right.digits.reversed())
    }
}
