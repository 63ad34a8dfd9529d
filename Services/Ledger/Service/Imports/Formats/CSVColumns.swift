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
    init?(header: CSVRecord) {
        let names = header.fields.map(CSVColumns.normalised)
        let plain = names.map(\.plain)
        var found: [Role: Int] = [:]
        for role in Role.allCases {
            let synonyms = CSVColumns.synonyms(role)
            let free = plain.indices.filter { !found.values.contains($0) }
            let exact = synonyms.lazy.compactMap { name in free.first { plain[$0] == name } }.first
            found[role] = exact ?? free.first { CSVColumns.isLoosely(plain[$0], role) }
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

    /// The field of a record; empty where there is no such column or the record is short.
    func field(_ role: Role, of record: CSVRecord) -> String {
        guard let index = indexes[role], index < record.fields.count else { return "" }
        return record.fields[index]
    }

    /// Whether there is such a column.
    func has(_ role: Role) -> Bool { indexes[role] != nil }

    /// In small ASCII letters with single spaces, what stands in parentheses and a currency left
    /// out.
    private static func normalised(_ name: String) -> (plain: String, currency: Currency?) {
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
        return (words.joined(separator: " "), currency)
    }

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
            ["date", "datum", "data", "fecha", "buchungstag", "buchungsdatum"].contains(first)
        case .amount: ["amount", "betrag", "importo", "montant", "importe"].contains(first)
        case .balance: ["balance", "saldo", "solde", "kontostand"].contains(first)
        case .description:
            ["description", "verwendungszweck", "causale", "descrizione", "libelle", "concepto"]
                .contains(first)
        default: false
        }
    }

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
                "value date", "wertstellung", "valutadatum", "data valuta", "date valeur",
                "date de valeur", "fecha valor", "valuta",
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
        }
    }
}
