internal import Loops

/// What became of a look-up: addresses with their records' time to live, or why there are none.
typealias Outcome = Result<[NumericAddress], NameError>

/// A name being looked up, and all who wait for it.
///
/// c-ares holds it until the end of the query; who waits may leave before.
final class Lookup {
    private var waits: [Wait<Outcome>] = []
    /// Takes note of the outcome and makes of it what is handed out.
    private let ended: (Outcome) -> Outcome

    init(ended: @escaping (Outcome) -> Outcome) { self.ended = ended }

    func add(_ wait: Wait<Outcome>) {
        waits.removeAll { $0.isOver }
        waits.append(wait)
    }

    func end(_ outcome: Outcome) {
        let told = ended(outcome)
        let waiting = waits
        waits = []
        for wait in waiting { wait.resume(returning: told) }
    }
}
