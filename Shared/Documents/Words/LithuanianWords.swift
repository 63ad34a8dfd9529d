extension StatementWords {
    static let lithuanian = StatementWords(
        language: "lt",
        title: "Sąskaitos išrašas",
        account: "Sąskaita",
        owner: "Savininkas",
        period: "Laikotarpis",
        opening: "Pradinis likutis",
        credits: "Įplaukos",
        debits: "Išlaidos",
        closing: "Galutinis likutis",
        date: "Data",
        text: "Aprašymas",
        amount: "Suma",
        balance: "Likutis",
        nothing: "Šiuo laikotarpiu operacijų nebuvo.",
        made: "Parengta {}",
        page: "Puslapis {}"
    )
}
