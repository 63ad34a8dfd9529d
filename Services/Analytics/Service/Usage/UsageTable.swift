import WalletProtocol

/// Puts an answer's cells together: figures where they may be told, and keys alone where not.
struct UsageTable: Sendable {
    let scope: UsageScope
    /// The months that are asked for and told.
    let asked: [Month]
    /// The months that are told, from the first that is asked for on.
    let released: [Month]

    /// More cells than this are not listed where nothing is told of them.
    static let combinationsMax = 5_000

    /// Cells that an answer needs.
    struct Part: Sendable {
        let kind: UsageKind
        /// How fine its first axis is.
        let level: Int
        let paths: [String]
        let months: [Month]
        private(set) var cells: [UsageCellRow] = []

        init(_ kind: UsageKind, _ level: Int, _ paths: [String], _ months: [Month]) {
            (self.kind, self.level, self.paths, self.months) = (kind, level, paths, months)
        }

        func with(_ cells: [UsageCellRow]) -> Part {
            var part = self
            part.cells = cells
            return part
        }
    }

    /// What an answer is made of.
    static func parts(of scope: UsageScope, _ asked: [Month], _ released: [Month]) -> [Part] {
        let registered = Part(.cohort, 0, [""], asked)
        switch scope.measure {
        case .registrations: return [registered]
        case .active: return [Part(.activity, 0, [""], asked)]
        case .retention:
            let since = released.filter { month in asked.first.map { $0 <= month } ?? false }
            return [registered, Part(.activity, 1, asked.map(\.text), since)]
        case .funnel:
            return [registered]
                + UsageStep.allCases.dropFirst().map { Part(.funnel, $0.level, [$0.path], asked) }
        case .imports: return [files(.imports, of: scope, asked)]
        case .exports: return [files(.exports, of: scope, asked)]
        }
    }

    private static func files(_ kind: UsageKind, of scope: UsageScope, _ asked: [Month]) -> Part {
        scope.groupBy.contains(.kind)
            ? Part(kind, 1, kind.formats.map(\.rawValue), asked) : Part(kind, 0, [""], asked)
    }

    /// What a figure of a part is of.
    private struct Key: Hashable {
        let kind: UsageKind
        let month: Month
        let path: String
        let people: UsagePeople
    }

    /// The cells of a month and an answer: what they are looked up by, and as what they are shown.
    private struct Slot {
        let month: Month
        let kind: UsageKind
        let figuresMonth: Month
        let path: String
        var later: Int?
        var step: UsageStep?
        var format: UsedFileFormat?
    }

    /// The cells, by month, by what is counted and by people.
    ///
    /// Of too few people and of nobody a cell looks the same, or the list itself would tell that
    /// somebody is there: every combination that anybody could name is listed as suppressed.
    /// Regions and languages are open sets; of them those are listed that are told of or asked
    /// for. Where that is too many, only what is told is listed, and it is not whole.
    func cells(_ parts: [Part]) -> (cells: [UsageCell], isWhole: Bool) {
        let told = told(parts)
        let slots = asked.flatMap(slots)
        let known = Set(told.keys.map(\.people))
        let named = people(named: known, atMost: Self.combinationsMax / max(slots.count, 1))
        let isWhole = named != nil
        let all = named ?? known.sorted(by: Self.precedes)
        let cells = slots.flatMap { slot in
            all.compactMap { people -> UsageCell? in
                let key = Key(
                    kind: slot.kind,
                    month: slot.figuresMonth,
                    path: slot.path,
                    people: people
                )
                let figures = told[key]
                guard isWhole || figures != nil else { return nil }
                let registered = told[
                    Key(kind: .cohort, month: slot.month, path: "", people: people)
                ]
                return cell(slot, people, figures, of: registered?.users)
            }
        }
        return (cells, isWhole)
    }

    /// The cells that the filters let through and that are told: each is a figure by itself.
    private func told(_ parts: [Part]) -> [Key: UsageFigures] {
        var told: [Key: UsageFigures] = [:]
        for part in parts {
            for row in part.cells where scope.accepts(row) {
                let key = Key(
                    kind: part.kind,
                    month: row.month.month,
                    path: row.path,
                    people: scope.people(of: row)
                )
                told[key] = row.figures
            }
        }
        return told
    }

    private func slots(of month: Month) -> [Slot] {
        func slot(_ kind: UsageKind, _ path: String = "") -> Slot {
            Slot(month: month, kind: kind, figuresMonth: month, path: path)
        }
        func slots(of kind: UsageKind) -> [Slot] {
            guard scope.groupBy.contains(.kind) else { return [slot(kind)] }
            return kind.formats.map { format in
                var one = slot(kind, format.rawValue)
                one.format = format
                return one
            }
        }
        switch scope.measure {
        case .registrations: return [slot(.cohort)]
        case .active: return [slot(.activity)]
        case .imports: return slots(of: .imports)
        case .exports: return slots(of: .exports)
        case .funnel:
            return UsageStep.allCases.map { step in
                var one = step == .registered ? slot(.cohort) : slot(.funnel, step.path)
                one.step = step
                return one
            }
        case .retention:
            return released.filter { $0 >= month }.map { later in
                Slot(
                    month: month,
                    kind: .activity,
                    figuresMonth: later,
                    path: month.text,
                    later: later.count(since: month)
                )
            }
        }
    }

    /// Whom anybody could name, or is told of; nil where that is too many.
    private func people(named told: Set<UsagePeople>, atMost most: Int) -> [UsagePeople]? {
        func choices(_ dimension: UsageDimension, _ names: [String?]) -> [String?] {
            scope.groupBy.contains(dimension) ? Array(Set(names)) : [nil]
        }
        let areas = choices(
            .area,
            (scope.areas + told.compactMap(\.area) + ["unknown"]).filter(scope.accepts(area:))
        )
        let ages = choices(
            .ageBand,
            AgeBand.allCases.map(\.rawValue).filter(scope.accepts(ageBand:))
        )
        let languages = choices(
            .language,
            (scope.languages + told.compactMap(\.language)).filter(scope.accepts(language:))
        )
        guard areas.count * ages.count * languages.count <= most else { return nil }
        return areas.flatMap { area in
            ages.flatMap { age in
                languages.map { UsagePeople(area: area, ageBand: age, language: $0) }
            }
        }.sorted(by: Self.precedes)
    }

    private static func precedes(_ left: UsagePeople, _ right: UsagePeople) -> Bool {
        func names(_ people: UsagePeople) -> [String] {
            [people.area, people.ageBand, people.language].map { $0 ?? "" }
        }
        return names(left).lexicographicallyPrecedes(names(right))
    }

    private func cell(
        _ slot: Slot,
        _ people: UsagePeople,
        _ figures: UsageFigures?,
        of registered: Int64?
    ) -> UsageCell {
        let dayCount = Int64(slot.figuresMonth.dayCount)
        let isActive = scope.measure == .active
        let isPart = scope.measure == .retention || scope.measure == .funnel
        let hasCount = scope.measure == .imports || scope.measure == .exports
        let whole = isPart && figures != nil ? registered : nil
        return UsageCell(
            month: slot.month,
            later: slot.later,
            step: slot.step,
            kind: slot.format,
            area: people.area,
            ageBand: people.ageBand.flatMap { AgeBand(rawValue: $0) },
            language: people.language,
            isSuppressed: figures == nil,
            users: figures.map { Int($0.users) },
            daily: isActive ? figures.map { Self.tenths($0.days * 10, over: dayCount) } : nil,
            weekly: isActive ? figures.map { Self.tenths($0.weekDays * 10, over: dayCount) } : nil,
            count: hasCount ? figures.map { Int($0.times) } : nil,
            of: whole.map { Int($0) },
            percent: whole.flatMap { whole in
                figures.map { Self.tenths($0.users * 1_000, over: whole) }
            }
        )
    }

    /// So many tenths by a number above zero, halves to the even.
    static func tenths(_ tenths: Int64, over divisor: Int64) -> ExactDecimal {
        let (whole, rest) = tenths.quotientAndRemainder(dividingBy: divisor)
        let isUp = rest * 2 > divisor || (rest * 2 == divisor && whole % 2 == 1)
        return ExactDecimal(coefficient: whole + (isUp ? 1 : 0), scale: 1)
    }
}

extension UsageStep {
    /// How far it is from registering.
    var level: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// The path to it, by way of those before.
    var path: String {
        Self.allCases.prefix(level + 1).dropFirst().map(\.rawValue).joined(separator: "/")
    }
}

extension UsageKind {
    /// In what comes in, or goes out.
    fileprivate var formats: [UsedFileFormat] {
        switch self {
        case .imports:
            [
                .csv, .ofx, .camt053, .mt940, .qif, .splitwise, .tricount, .spliit, .sesterce,
                .cospend, .splitpro, .ezwallet, .several,
            ]
        case .exports: [.csv, .ofx, .camt053, .pdf, .data, .several]
        case .cohort, .funnel, .activity: []
        }
    }
}

extension Month {
    /// How many months after another.
    fileprivate func count(since other: Month) -> Int {
        (year - other.year) * 12 + month - other.month
    }
}
