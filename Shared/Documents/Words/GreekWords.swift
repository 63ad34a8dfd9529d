extension StatementWords {
    static let greek = StatementWords(
        language: "el",
        title: "Κίνηση λογαριασμού",
        account: "Λογαριασμός",
        owner: "Δικαιούχος",
        period: "Περίοδος",
        opening: "Αρχικό υπόλοιπο",
        credits: "Πιστώσεις",
        debits: "Χρεώσεις",
        closing: "Τελικό υπόλοιπο",
        date: "Ημερομηνία",
        text: "Περιγραφή",
        amount: "Ποσό",
        balance: "Υπόλοιπο",
        nothing: "Δεν υπάρχουν κινήσεις σε αυτή την περίοδο.",
        made: "Εκδόθηκε στις {}",
        page: "Σελίδα {}"
    )
}
