extension StatementWords {
    static let indonesian = StatementWords(
        language: "id",
        title: "Rekening koran",
        account: "Rekening",
        owner: "Pemilik",
        period: "Periode",
        opening: "Saldo awal",
        credits: "Uang masuk",
        debits: "Uang keluar",
        closing: "Saldo akhir",
        date: "Tanggal",
        text: "Keterangan",
        amount: "Jumlah",
        balance: "Saldo",
        nothing: "Tidak ada transaksi dalam periode ini.",
        made: "Dibuat pada {}",
        page: "Halaman {}"
    )
}
