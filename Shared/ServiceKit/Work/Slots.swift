public import WalletProtocol

/// How many pieces of one kind of work a loop has under way at once, and how many for one person.
///
/// On-loop only.
public final class Slots {
    private var free: Int
    private let perUserMax: Int
    private var taken: [ID<User>: Int] = [:]

    /// - Parameters:
    ///   - count: of all together.
    ///   - perUserMax: of one person's, however slowly they come.
    public init(_ count: Int, perUserMax: Int = .max) {
        free = count
        self.perUserMax = perUserMax
    }

    /// A place for a person's; nil where none is left.
    public func take(for user: ID<User>) -> Slot? {
        guard free > 0, taken[user, default: 0] < perUserMax else { return nil }
        free -= 1
        taken[user, default: 0] += 1
        return Slot { [self] in
            free += 1
            let left = taken[user, default: 1] - 1
            taken[user] = left > 0 ? left : nil
        }
    }
}

/// A place among the pieces of work that are under way, until it is given back, or nobody holds it
/// any more.
public final class Slot {
    private var leave: (() -> Void)?

    init(_ leave: @escaping () -> Void) { self.leave = leave }

    deinit { giveBack() }

    /// Lets somebody else have it.
    public func giveBack() {
        leave?()
        leave = nil
    }
}
