import WalletProtocol

/// Which column of a CSV file tells what, by the names in its header line.
struct CSVColumns: Hashable {
    /// What a column tells.
    enum Role: CaseIterable, Hashable {
        /// The day.
        case date
        /// Signed.
        case amount
        /// Money out, without a sign.
        case debit
        /// Money in.
        case credit
        /// Whether an amount without a sign is money out.
        case direction
        /// The balance after the row.
        case balance
        /// A code of ISO 4217.
        case currency
        /// The bank's id of the row.
        case reference
        /// The other side's account number.
        case counterparty
        /// Who was paid or paid.
        case name
        /// What for.
        case description
        /// Whether it is booked.
        case status
    }

    /// A name as it is looked for.
    private struct Name {
        /// Without what stands in parentheses and without a currency.
        let plain: String
        /// All but the words for an amount: `soll` of `Betrag (Soll)`; nil without such words.
        let side: String?
        let currency: Currency?
    }

    /// By role, from 0.
    let indexes: [Role: Int]
    /// The currency in the amount's name: `Amount (EUR)`.
    let currency: Currency?

    /// Columns that were found or given.
    init(indexes: [Role: Int], currency: Currency?) {
        self.indexes = indexes
        self.currency = currency
    }

    /// The columns of a header line; nil when it has no day or no amount.
    ///
    /// Whole names come first, for every role; what is left is looked at by first words. The day of
    /// booking goes before the value's, and debits and credits of their own before an amount that
    /// is one by its first word alone.
    init?(header: CSVRecord) {
        let names = header.fields.map(CSVColumns.normalised)
        var found: [Role: Int] = [:]
        func take(_ role: Role, _ fits: (Name) -> Bool) {
            guard found[role] == nil else { return }
            found[role] = names.indices.first { index in
                !found.values.contains(index) && fits(names[index])
            }
        }
        func takeExactly(_ role: Role) {
            for synonym in CSVColumns.synonyms(role) { take(role) { $0.plain == synonym } }
        }
        takeExactly(.date)
        for role in [Role.debit, .credit] {
            takeExactly(role)
            let synonyms = CSVColumns.synonyms(role)
            take(role) { $0.side.map(synonyms.contains) ?? false }
        }
        for role in Role.allCases { takeExactly(role) }
        for role in [Role.date, .balance, .description] {
            take(role) { CSVColumns.isLoosely($0.plain, role) }
        }
        if found[.debit] == nil || found[.credit] == nil {
            take(.amount) { CSVColumns.isLoosely($0.plain, .amount) }
        }
        // `Valuta` alone is the value's day, or else the currency.
        for day in CSVColumns.valueDays where found[.date] == nil {
            if let currency = found[.currency], names[currency].plain == day {
                found[.currency] = nil
            }
            take(.date) { $0.plain == day }
        }
        guard found[.date] != nil else { return nil }
        if found[.amount] != nil {
            found[.debit] = nil
            found[.credit] = nil
        } else {
            guard found[.debit] != nil, found[.credit] != nil else { return nil }
            found[.direction] = nil
        }
        indexes = found
        currency = (found[.amount] ?? found[.debit]).flatMap { names[$0].currency }
    }

    /// The column that tells whether a row is booked, among those that tell nothing else.
    static func status(in names: [String], besides taken: some Collection<Int>) -> Int? {
        let plain = names.map { normalised($0).plain }
        return synonyms(.status).lazy.compactMap { name in
            plain.indices.first { plain[$0] == name && !taken.contains($0) }
        }.first
    }

    /// A text in small ASCII letters with single spaces, as the names here are.
    static func plain(_ text: String) -> String { normalised(text).plain }

    /// The field of a record; empty where there is no such column or the record is short.
    func field(_ role: Role, of record: CSVRecord) -> String {
        guard let index = indexes[role], index < record.fields.count else { return "" }
        return record.fields[index]
    }

    /// Whether there is such a column.
    func has(_ role: Role) -> Bool { indexes[role] != nil }

    /// In small ASCII letters with single spaces, what stands in parentheses and a currency left
    /// out.
    private static func normalised(_ name: String) -> Name {
        var words: [String] = []
        var aside: [String] = []
        var word = ""
        var depth = 0
        func end() {
            if !word.isEmpty { if depth > 0 { aside.append(word) } else { words.append(word) } }
            word = ""
        }
        for scalar in name.unicodeScalars.prefix(100) {
            switch scalar {
            case "(", "[":
                end()
                depth += 1
            case ")", "]":
                end()
                depth = max(0, depth - 1)
            default:
                guard let letters = folded(scalar) else {
                    end()
                    continue
                }
                word += letters
            }
        }
        end()
        var currency = aside.lazy.compactMap { Currency($0.uppercased()) }.first
        if words.count > 1, let last = words.last, let known = Currency(last.uppercased()) {
            currency = currency ?? known
            words.removeLast()
        }
        if words.isEmpty, isSigns(name) { words = ["plus", "minus"] }
        let said = words + aside.filter { Currency($0.uppercased()) == nil }
        let side = said.filter { !amountWords.contains($0) }
        return Name(
            plain: words.joined(separator: " "),
            side: side.count < said.count ? side.joined(separator: " ") : nil,
            currency: currency
        )
    }

    /// `+/-` and its like.
    private static func isSigns(_ name: String) -> Bool {
        let signs = name.unicodeScalars.prefix(10).filter { $0 != " " && $0 != "/" }
        return signs.count == 2 && signs.contains("+")
            && signs.contains { $0 == "-" || $0 == "\u{2212}" || $0 == "\u{2013}" }
    }

    /// What stands before `debit` in the name of a column, and adds nothing to it.
    private static let amountWords: Set<String> = [
        "amount", "betrag", "importo", "montant", "importe", "umsatz", "in", "im", "a", "au", "al",
        "en", "de", "del",
    ]

    private static func folded(_ scalar: Unicode.Scalar) -> String? {
        switch scalar {
        case "a"..."z", "0"..."9": return String(scalar)
        case "A"..."Z": return String(scalar).lowercased()
        case "\u{300}"..."\u{36F}": return ""
        default: break
        }
        switch String(scalar).lowercased() {
        case "à", "á", "â", "ä", "ã", "å": return "a"
        case "è", "é", "ê", "ë": return "e"
        case "ì", "í", "î", "ï": return "i"
        case "ò", "ó", "ô", "ö", "õ": return "o"
        case "ù", "ú", "û", "ü": return "u"
        case "ç": return "c"
        case "ñ": return "n"
        case "ß": return "ss"
        default: return nil
        }
    }

    /// Whether a name that is no synonym tells the role all the same, by its first word.
    private static func isLoosely(_ name: String, _ role: Role) -> Bool {
        let first = name.prefix { $0 != " " }
        return switch role {
        case .date:
            !valueDays.contains(name)
                && ["date", "datum", "data", "fecha", "buchungstag", "buchungsdatum"]
                    .contains(first)
        case .amount: ["amount", "betrag", "importo", "montant", "importe"].contains(first)
        case .balance: ["balance", "saldo", "solde", "kontostand"].contains(first)
        case .description:
            ["description", "verwendungszweck", "causale", "descrizione", "libelle", "concepto"]
                .contains(first)
        default: false
        }
    }

    /// Names of the value's day, the best first.
    private static let valueDays = [
        "value date", "wertstellung", "valutadatum", "data valuta", "date valeur", "date de valeur",
        "fecha valor", "valuta",
    ]

    /// English, German, Italian, French and Spanish, the best first.
    private static func synonyms(_ role: Role) -> [String] {
        switch role {
        case .date:
            [
                "buchungstag", "buchungsdatum", "booking date", "posting date", "posted date",
                "date posted", "transaction date", "data contabile", "data operazione",
                "fecha operacion", "fecha de operacion", "fecha contable", "date operation",
                "date de l operation", "date d operation", "date comptable", "date", "datum",
                "data", "fecha", "completed date", "day", "tag", "giorno", "dia", "jour",
            ]
        case .amount:
            [
                "amount", "betrag", "importo", "montant", "importe", "transaction amount",
                "amount in", "betrag in", "umsatz", "umsatz in", "cantidad", "monto", "somme",
                "value", "valore",
            ]
        case .debit:
            [
                "debit", "debits", "debit amount", "amount debit", "money out", "paid out",
                "withdrawal", "withdrawals", "withdrawal amount", "outflow", "soll", "belastung",
                "belastungen", "lastschrift", "ausgang", "ausgaben", "dare", "addebito", "addebiti",
                "uscite", "uscita", "debito", "debe", "cargo", "cargos", "gasto", "debits",
                "sortie", "sorties", "depense", "depenses", "montant debit",
            ]
        case .credit:
            [
                "credit", "credits", "credit amount", "amount credit", "money in", "paid in",
                "deposit", "deposits", "deposit amount", "inflow", "haben", "gutschrift",
                "gutschriften", "eingang", "einnahmen", "avere", "accredito", "accrediti",
                "entrate", "entrata", "credito", "haber", "abono", "abonos", "ingreso", "entree",
                "entrees", "recette", "recettes", "montant credit",
            ]
        case .direction:
            [
                "soll haben", "s h", "sh", "debit credit", "credit debit", "dr cr", "cr dr", "d c",
                "c d", "credit debit indicator", "dare avere", "debe haber", "kennzeichen",
                "entrata uscita", "entrate uscite", "addebito accredito", "cargo abono",
                "belastung gutschrift", "plus minus", "sign", "vorzeichen", "segno", "signo",
                "sens", "af bij",
            ]
        case .balance:
            [
                "balance", "running balance", "account balance", "saldo", "kontostand",
                "saldo contabile", "solde", "saldo disponible", "saldo nach buchung",
            ]
        case .currency:
            [
                "currency", "currency code", "ccy", "wahrung", "waehrung", "devise", "monnaie",
                "divisa", "moneda", "valuta",
            ]
        case .reference:
            [
                "reference", "id", "transaction id", "transaction reference", "reference number",
                "bank reference", "ref", "fitid", "referenz", "referenznummer", "transaktions id",
                "buchungsreferenz", "riferimento", "id transazione", "id operazione",
                "numero operazione", "identificativo", "reference operation",
                "reference de l operation", "identifiant", "referencia", "numero de operacion",
                "identificador",
            ]
        case .counterparty:
            [
                "counterparty iban", "counterparty account", "counterparty account number",
                "payee account number", "iban zahlungsbeteiligter", "kontonummer iban",
                "gegenkonto", "gegenkonto iban", "iban empfanger", "kontonummer",
                "auftraggeberkonto gegenkonto", "tegenrekening", "tegenrekening iban bban",
                "iban beneficiario", "iban controparte", "iban beneficiaire", "compte contrepartie",
                "cuenta contrapartida", "partner iban", "recipient iban",
            ]
        case .name:
            [
                "name", "payee", "merchant", "merchant name", "counterparty", "counterparty name",
                "beneficiary", "payee name", "zahlungsempfanger", "zahlungsempfanger in",
                "empfanger", "empfaenger", "begunstigter", "begunstigter zahlungspflichtiger",
                "beguenstigter zahlungspflichtiger", "auftraggeber begunstigter",
                "auftraggeber empfanger", "name zahlungsbeteiligter", "gegenpartei", "nome",
                "controparte", "beneficiario", "esercente", "nom", "beneficiaire", "contrepartie",
                "tiers", "commercant", "nombre", "comercio",
            ]
        case .description:
            [
                "description", "details", "transaction description", "narrative", "memo",
                "particulars", "purpose", "verwendungszweck", "buchungstext", "beschreibung",
                "buchungsdetails", "text", "zweck", "causale", "descrizione", "dettagli",
                "descrizione operazione", "motivo", "libelle", "libelle operation", "intitule",
                "motif", "communication", "objet", "concepto", "descripcion", "detalle", "note",
                "notes", "notiz", "reason",
            ]
        case .status:
            [
                "status", "state", "stato", "statut", "etat", "estado", "buchungsstatus",
                "contabilizzazione", "info",
            ]
        }
    }
}
