/// The words of a report in one language; what a statement has, too, are the statement's.
public struct ReportWords: Sendable {
    let language: String
    /// Titles.
    public let summary, categories, trends, cashFlow, insights: String
    /// Titles of the ledger's.
    public let budget, payees, places, forecast: String
    /// Headings.
    public let category, net, count, before, cumulative, people, mean, median: String
    /// Headings of envelopes, and of what is to come.
    public let allocated, spent, available, booked, expected: String
    /// The day of a release.
    public let asOf: String
    /// What is put together, has no rate, tells of too few people, or is told coarser.
    public let others, noRate, hidden, merged: String
    private let statement: StatementWords

    /// The days that it is of.
    public var period: String { statement.period }
    /// What came in.
    public var income: String { statement.credits }
    /// What went out.
    public var expenses: String { statement.debits }
    /// How much.
    public var amount: String { statement.amount }
    /// What there is.
    public var balance: String { statement.balance }
    /// Before the first day.
    public var opening: String { statement.opening }
    /// After the last day.
    public var closing: String { statement.closing }
    /// Where it is.
    public var account: String { statement.account }
    /// What it was.
    public var text: String { statement.text }

    private init(_ row: (language: String, words: [String])) {
        let words = row.words + Array(repeating: "", count: max(0, Self.count - row.words.count))
        language = row.language
        statement = .of(row.language)
        (summary, categories, trends, cashFlow) = (words[0], words[1], words[2], words[3])
        (insights, category, others, net) = (words[4], words[5], words[6], words[7])
        (count, before, cumulative, noRate) = (words[8], words[9], words[10], words[11])
        (people, mean, median, hidden) = (words[12], words[13], words[14], words[15])
        (asOf, budget, allocated, spent) = (words[16], words[17], words[18], words[19])
        (available, payees, places, forecast) = (words[20], words[21], words[22], words[23])
        (booked, expected, merged) = (words[24], words[25], words[26])
    }

    /// How many a language has.
    static let count = 27

    static let all: [ReportWords] = rows.map(ReportWords.init)

    /// Those of the language that a statement would be in.
    public static func of(_ tag: String) -> ReportWords {
        let language = StatementWords.of(tag).language
        // Cannot fire: a language of statements has a row, which a test holds.
        guard let words = all.first(where: { $0.language == language }) ?? all.first else {
            preconditionFailure("there are no words")
        }
        return words
    }

    /// Summary, by category, over time, cash flow, insights; category, other, net, transactions,
    /// period before, cumulative, without rate, people, mean, median, withheld, as of; budget,
    /// allocated, spent, available, by payee, by place, forecast, booked, expected, combined.
    static let rows: [(language: String, words: [String])] = [
        (
            "en",
            [
                "Summary", "By category", "Over time", "Cash flow", "Insights", "Category", "Other",
                "Net", "Transactions", "Period before", "Cumulative", "Without exchange rate",
                "People", "Mean", "Median", "Withheld", "As of",
                "Budget", "Allocated", "Spent", "Available",
                "By payee", "By place", "Forecast", "Booked", "Expected", "Combined",
            ]
        ),
        (
            "de",
            [
                "Übersicht", "Nach Kategorien", "Zeitverlauf", "Geldfluss", "Auswertung",
                "Kategorie", "Sonstige", "Saldo", "Buchungen", "Zeitraum davor", "Kumuliert",
                "Ohne Wechselkurs", "Personen", "Mittelwert", "Median", "Zurückgehalten", "Stand",
                "Budget", "Zugeteilt", "Ausgegeben", "Verfügbar",
                "Nach Empfängern", "Nach Orten", "Prognose", "Gebucht", "Erwartet",
                "Zusammengefasst",
            ]
        ),
        (
            "fr",
            [
                "Synthèse", "Par catégorie", "Évolution", "Flux de trésorerie", "Analyses",
                "Catégorie", "Autres", "Solde", "Opérations", "Période précédente", "Cumul",
                "Sans taux de change", "Personnes", "Moyenne", "Médiane", "Masqué", "Au",
                "Budget", "Alloué", "Dépensé", "Disponible",
                "Par bénéficiaire", "Par lieu", "Prévision", "Comptabilisé", "Attendu", "Regroupé",
            ]
        ),
        (
            "it",
            [
                "Riepilogo", "Per categoria", "Andamento", "Flusso di cassa", "Analisi",
                "Categoria", "Altro", "Netto", "Movimenti", "Periodo precedente", "Cumulato",
                "Senza tasso di cambio", "Persone", "Media", "Mediana", "Non mostrato",
                "Aggiornato al",
                "Budget", "Assegnato", "Speso", "Disponibile",
                "Per beneficiario", "Per luogo", "Previsione", "Contabilizzato", "Previsto",
                "Raggruppato",
            ]
        ),
        (
            "es",
            [
                "Resumen", "Por categoría", "Evolución", "Flujo de caja", "Análisis", "Categoría",
                "Otros", "Neto", "Movimientos", "Periodo anterior", "Acumulado",
                "Sin tipo de cambio", "Personas", "Media", "Mediana", "Oculto", "A fecha de",
                "Presupuesto", "Asignado", "Gastado", "Disponible",
                "Por beneficiario", "Por lugar", "Previsión", "Contabilizado", "Previsto",
                "Agrupado",
            ]
        ),
        (
            "ca",
            [
                "Resum", "Per categoria", "Evolució", "Flux de caixa", "Anàlisi", "Categoria",
                "Altres", "Net", "Moviments", "Període anterior", "Acumulat",
                "Sense tipus de canvi",
                "Persones", "Mitjana", "Mediana", "Ocult", "A data de",
                "Pressupost", "Assignat", "Gastat", "Disponible",
                "Per beneficiari", "Per lloc", "Previsió", "Comptabilitzat", "Previst", "Agrupat",
            ]
        ),
        (
            "pt",
            [
                "Resumo", "Por categoria", "Evolução", "Fluxo de caixa", "Análises", "Categoria",
                "Outros", "Líquido", "Movimentos", "Período anterior", "Acumulado",
                "Sem taxa de câmbio", "Pessoas", "Média", "Mediana", "Oculto", "À data de",
                "Orçamento", "Atribuído", "Gasto", "Disponível",
                "Por beneficiário", "Por local", "Previsão", "Contabilizado", "Previsto",
                "Agrupado",
            ]
        ),
        (
            "nl",
            [
                "Overzicht", "Per categorie", "Verloop", "Kasstroom", "Inzichten", "Categorie",
                "Overige", "Netto", "Transacties", "Vorige periode", "Cumulatief",
                "Zonder wisselkoers", "Personen", "Gemiddelde", "Mediaan", "Achtergehouden",
                "Stand per",
                "Budget", "Toegewezen", "Uitgegeven", "Beschikbaar",
                "Per begunstigde", "Per plaats", "Prognose", "Geboekt", "Verwacht", "Samengevoegd",
            ]
        ),
        (
            "da",
            [
                "Oversigt", "Efter kategori", "Over tid", "Pengestrøm", "Indsigter", "Kategori",
                "Andet", "Netto", "Posteringer", "Forrige periode", "Akkumuleret",
                "Uden valutakurs", "Personer", "Gennemsnit", "Median", "Tilbageholdt", "Pr. dato",
                "Budget", "Afsat", "Brugt", "Til rådighed",
                "Efter modtager", "Efter sted", "Prognose", "Bogført", "Forventet", "Samlet",
            ]
        ),
        (
            "nb",
            [
                "Oversikt", "Etter kategori", "Over tid", "Kontantstrøm", "Innsikt", "Kategori",
                "Annet", "Netto", "Transaksjoner", "Forrige periode", "Akkumulert",
                "Uten valutakurs", "Personer", "Gjennomsnitt", "Median", "Tilbakeholdt", "Per dato",
                "Budsjett", "Avsatt", "Brukt", "Tilgjengelig",
                "Etter mottaker", "Etter sted", "Prognose", "Bokført", "Forventet", "Slått sammen",
            ]
        ),
        (
            "sv",
            [
                "Översikt", "Per kategori", "Över tid", "Kassaflöde", "Insikter", "Kategori",
                "Övrigt", "Netto", "Transaktioner", "Föregående period", "Ackumulerat",
                "Utan växelkurs", "Personer", "Medelvärde", "Median", "Undanhållet", "Per datum",
                "Budget", "Avsatt", "Förbrukat", "Tillgängligt",
                "Per mottagare", "Per plats", "Prognos", "Bokfört", "Förväntat", "Sammanslaget",
            ]
        ),
        (
            "fi",
            [
                "Yhteenveto", "Luokittain", "Kehitys", "Kassavirta", "Analyysit", "Luokka", "Muut",
                "Netto", "Tapahtumat", "Edellinen jakso", "Kertymä", "Ilman valuuttakurssia",
                "Henkilöt", "Keskiarvo", "Mediaani", "Ei näytetä", "Tilanne",
                "Budjetti", "Varattu", "Käytetty", "Käytettävissä",
                "Saajittain", "Paikoittain", "Ennuste", "Kirjattu", "Odotettu", "Yhdistetty",
            ]
        ),
        (
            "et",
            [
                "Kokkuvõte", "Kategooriate kaupa", "Ajas", "Rahavoog", "Ülevaated", "Kategooria",
                "Muu", "Neto", "Tehingud", "Eelmine periood", "Kumulatiivne", "Vahetuskursita",
                "Inimesed", "Keskmine", "Mediaan", "Varjatud", "Seisuga",
                "Eelarve", "Eraldatud", "Kulutatud", "Saadaval",
                "Saajate kaupa", "Kohtade kaupa", "Prognoos", "Kantud", "Oodatav", "Ühendatud",
            ]
        ),
        (
            "lv",
            [
                "Kopsavilkums", "Pa kategorijām", "Laika gaitā", "Naudas plūsma", "Analīze",
                "Kategorija", "Citi", "Neto", "Darījumi", "Iepriekšējais periods", "Uzkrāti",
                "Bez valūtas kursa", "Cilvēki", "Vidējais", "Mediāna", "Netiek rādīts", "Stāvoklis",
                "Budžets", "Piešķirts", "Iztērēts", "Pieejams",
                "Pa saņēmējiem", "Pa vietām", "Prognoze", "Iegrāmatots", "Gaidāms", "Apvienots",
            ]
        ),
        (
            "lt",
            [
                "Santrauka", "Pagal kategorijas", "Laikui bėgant", "Pinigų srautas", "Įžvalgos",
                "Kategorija", "Kita", "Grynasis", "Operacijos", "Ankstesnis laikotarpis",
                "Sukaupta", "Be valiutos kurso", "Žmonės", "Vidurkis", "Mediana", "Nerodoma",
                "Būklė",
                "Biudžetas", "Paskirta", "Išleista", "Likutis biudžete",
                "Pagal gavėjus", "Pagal vietas", "Prognozė", "Užregistruota", "Laukiama",
                "Sujungta",
            ]
        ),
        (
            "pl",
            [
                "Podsumowanie", "Według kategorii", "W czasie", "Przepływ środków", "Analizy",
                "Kategoria", "Inne", "Netto", "Transakcje", "Poprzedni okres", "Narastająco",
                "Bez kursu walutowego", "Osoby", "Średnia", "Mediana", "Ukryte", "Stan na",
                "Budżet", "Przydzielone", "Wydane", "Dostępne",
                "Według odbiorcy", "Według miejsca", "Prognoza", "Zaksięgowane", "Oczekiwane",
                "Połączono",
            ]
        ),
        (
            "cs",
            [
                "Souhrn", "Podle kategorií", "V čase", "Peněžní tok", "Přehledy", "Kategorie",
                "Ostatní", "Čistě", "Transakce", "Předchozí období", "Kumulativně",
                "Bez směnného kurzu", "Osoby", "Průměr", "Medián", "Skryto", "Stav k",
                "Rozpočet", "Přiděleno", "Utraceno", "K dispozici",
                "Podle příjemce", "Podle místa", "Výhled", "Zaúčtováno", "Očekáváno", "Sloučeno",
            ]
        ),
        (
            "sk",
            [
                "Súhrn", "Podľa kategórií", "V čase", "Peňažný tok", "Prehľady", "Kategória",
                "Ostatné", "Čisto", "Transakcie", "Predchádzajúce obdobie", "Kumulatívne",
                "Bez výmenného kurzu", "Osoby", "Priemer", "Medián", "Skryté", "Stav k",
                "Rozpočet", "Pridelené", "Minuté", "K dispozícii",
                "Podľa príjemcu", "Podľa miesta", "Výhľad", "Zaúčtované", "Očakávané", "Zlúčené",
            ]
        ),
        (
            "sl",
            [
                "Povzetek", "Po kategorijah", "Skozi čas", "Denarni tok", "Analize", "Kategorija",
                "Drugo", "Neto", "Transakcije", "Prejšnje obdobje", "Kumulativno",
                "Brez menjalnega tečaja", "Osebe", "Povprečje", "Mediana", "Skrito",
                "Stanje na dan",
                "Proračun", "Dodeljeno", "Porabljeno", "Na voljo",
                "Po prejemnikih", "Po krajih", "Napoved", "Knjiženo", "Pričakovano", "Združeno",
            ]
        ),
        (
            "hr",
            [
                "Sažetak", "Po kategorijama", "Kroz vrijeme", "Novčani tok", "Uvidi", "Kategorija",
                "Ostalo", "Neto", "Transakcije", "Prethodno razdoblje", "Kumulativno",
                "Bez tečaja", "Osobe", "Prosjek", "Medijan", "Skriveno", "Stanje na dan",
                "Proračun", "Dodijeljeno", "Potrošeno", "Raspoloživo",
                "Po primateljima", "Po mjestima", "Prognoza", "Proknjiženo", "Očekivano", "Spojeno",
            ]
        ),
        (
            "hu",
            [
                "Összegzés", "Kategóriák szerint", "Időbeli alakulás", "Pénzforgalom", "Elemzések",
                "Kategória", "Egyéb", "Nettó", "Tranzakciók", "Előző időszak", "Halmozott",
                "Árfolyam nélkül", "Személyek", "Átlag", "Medián", "Visszatartva", "Állapot",
                "Költségkeret", "Elkülönítve", "Elköltve", "Elérhető",
                "Kedvezményezettek szerint", "Helyek szerint", "Előrejelzés", "Könyvelt", "Várható",
                "Összevonva",
            ]
        ),
        (
            "ro",
            [
                "Rezumat", "Pe categorii", "În timp", "Flux de numerar", "Analize", "Categorie",
                "Altele", "Net", "Tranzacții", "Perioada anterioară", "Cumulat",
                "Fără curs de schimb", "Persoane", "Medie", "Mediană", "Ascuns", "La data de",
                "Buget", "Alocat", "Cheltuit", "Disponibil",
                "După beneficiar", "După loc", "Prognoză", "Înregistrat", "Așteptat", "Grupat",
            ]
        ),
        (
            "bg",
            [
                "Обобщение", "По категории", "Във времето", "Паричен поток", "Анализи",
                "Категория", "Други", "Нето", "Транзакции", "Предишен период", "С натрупване",
                "Без обменен курс", "Хора", "Средно", "Медиана", "Скрито", "Към дата",
                "Бюджет", "Заделено", "Изразходвано", "Налично",
                "По получатели", "По места", "Прогноза", "Осчетоводено", "Очаквано", "Обединено",
            ]
        ),
        (
            "el",
            [
                "Σύνοψη", "Ανά κατηγορία", "Στον χρόνο", "Ταμειακή ροή", "Αναλύσεις", "Κατηγορία",
                "Λοιπά", "Καθαρό", "Συναλλαγές", "Προηγούμενη περίοδος", "Σωρευτικά",
                "Χωρίς ισοτιμία", "Άτομα", "Μέσος όρος", "Διάμεσος", "Αποκρύπτεται", "Κατά την",
                "Προϋπολογισμός", "Κατανεμημένα", "Δαπανήθηκαν", "Διαθέσιμα",
                "Ανά δικαιούχο", "Ανά τόπο", "Πρόβλεψη", "Καταχωρισμένα", "Αναμενόμενα",
                "Συγκεντρωτικά",
            ]
        ),
        (
            "ru",
            [
                "Сводка", "По категориям", "Динамика", "Денежный поток", "Аналитика", "Категория",
                "Прочее", "Чистый итог", "Операции", "Предыдущий период", "Нарастающим итогом",
                "Без обменного курса", "Люди", "Среднее", "Медиана", "Скрыто", "По состоянию на",
                "Бюджет", "Выделено", "Потрачено", "Доступно",
                "По получателям", "По местам", "Прогноз", "Проведено", "Ожидается", "Объединено",
            ]
        ),
        (
            "uk",
            [
                "Підсумок", "За категоріями", "Динаміка", "Грошовий потік", "Аналітика",
                "Категорія", "Інше", "Чистий підсумок", "Операції", "Попередній період",
                "Наростаючим підсумком", "Без обмінного курсу", "Люди", "Середнє", "Медіана",
                "Приховано", "Станом на",
                "Бюджет", "Виділено", "Витрачено", "Доступно",
                "За одержувачами", "За місцями", "Прогноз", "Проведено", "Очікується", "Об’єднано",
            ]
        ),
        (
            "tr",
            [
                "Özet", "Kategoriye göre", "Zaman içinde", "Nakit akışı", "Analizler", "Kategori",
                "Diğer", "Net", "İşlemler", "Önceki dönem", "Birikimli", "Döviz kuru olmadan",
                "Kişiler", "Ortalama", "Medyan", "Gizlendi", "Tarih itibarıyla",
                "Bütçe", "Ayrılan", "Harcanan", "Kullanılabilir",
                "Alıcıya göre", "Yere göre", "Tahmin", "Kaydedilen", "Beklenen", "Birleştirildi",
            ]
        ),
        (
            "ar",
            [
                "الملخص", "حسب الفئة", "عبر الزمن", "التدفق النقدي", "التحليلات", "الفئة", "أخرى",
                "الصافي", "المعاملات", "الفترة السابقة", "التراكمي", "بدون سعر صرف", "الأشخاص",
                "المتوسط", "الوسيط", "محجوب", "حتى تاريخ",
                "الميزانية", "المخصص", "المنفق", "المتاح",
                "حسب المستفيد", "حسب المكان", "التوقعات", "المسجل", "المتوقع", "مجمّع",
            ]
        ),
        (
            "he",
            [
                "סיכום", "לפי קטגוריה", "לאורך זמן", "תזרים מזומנים", "תובנות", "קטגוריה", "אחר",
                "נטו", "תנועות", "התקופה הקודמת", "מצטבר", "ללא שער חליפין", "אנשים", "ממוצע",
                "חציון", "מוסתר", "נכון ליום",
                "תקציב", "הוקצה", "הוצא", "זמין",
                "לפי מוטב", "לפי מקום", "תחזית", "נרשם", "צפוי", "מאוחד",
            ]
        ),
        (
            "fa",
            [
                "خلاصه", "بر اساس دسته", "در طول زمان", "جریان نقدی", "تحلیل‌ها", "دسته", "سایر",
                "خالص", "تراکنش‌ها", "دورهٔ پیشین", "انباشته", "بدون نرخ ارز", "افراد", "میانگین",
                "میانه", "پنهان", "تا تاریخ",
                "بودجه", "تخصیص‌یافته", "خرج‌شده", "در دسترس",
                "بر اساس گیرنده", "بر اساس مکان", "پیش‌بینی", "ثبت‌شده", "مورد انتظار", "ادغام‌شده",
            ]
        ),
        (
            "ja",
            [
                "概要", "カテゴリー別", "推移", "キャッシュフロー", "分析", "カテゴリー", "その他",
                "差引", "取引件数", "前の期間", "累計", "為替レートなし", "人数", "平均", "中央値",
                "非表示", "時点",
                "予算", "割当", "使用済み", "残り",
                "支払先別", "場所別", "予測", "計上済み", "予定", "統合",
            ]
        ),
        (
            "ko",
            [
                "요약", "카테고리별", "추이", "현금 흐름", "분석", "카테고리", "기타", "순액",
                "거래 건수", "이전 기간", "누계", "환율 없음", "인원", "평균", "중앙값", "비공개", "기준일",
                "예산", "배정", "지출", "사용 가능",
                "수취인별", "장소별", "예측", "기록됨", "예정", "통합",
            ]
        ),
        (
            "zh",
            [
                "概览", "按类别", "趋势", "现金流", "分析", "类别", "其他", "净额", "交易笔数",
                "上一期间", "累计", "无汇率", "人数", "平均值", "中位数", "不予显示", "截至",
                "预算", "已分配", "已支出", "可用",
                "按收款人", "按地点", "预测", "已入账", "预计", "合并",
            ]
        ),
        (
            "zh-Hant",
            [
                "概覽", "按類別", "趨勢", "現金流", "分析", "類別", "其他", "淨額", "交易筆數",
                "上一期間", "累計", "無匯率", "人數", "平均值", "中位數", "不予顯示", "截至",
                "預算", "已分配", "已支出", "可用",
                "按收款人", "按地點", "預測", "已入帳", "預計", "合併",
            ]
        ),
        (
            "hi",
            [
                "सारांश", "श्रेणी के अनुसार", "समय के साथ", "नकदी प्रवाह", "विश्लेषण", "श्रेणी",
                "अन्य", "शुद्ध", "लेन-देन", "पिछली अवधि", "संचयी", "विनिमय दर के बिना", "लोग",
                "औसत", "माध्यिका", "छिपाया गया", "की स्थिति",
                "बजट", "आवंटित", "खर्च", "उपलब्ध",
                "प्राप्तकर्ता के अनुसार", "स्थान के अनुसार", "पूर्वानुमान", "दर्ज", "अपेक्षित",
                "संयुक्त",
            ]
        ),
        (
            "th",
            [
                "สรุป", "ตามหมวดหมู่", "ตามเวลา", "กระแสเงินสด", "ข้อมูลเชิงลึก", "หมวดหมู่", "อื่น ๆ",
                "สุทธิ", "รายการ", "ช่วงก่อนหน้า", "สะสม", "ไม่มีอัตราแลกเปลี่ยน", "คน", "ค่าเฉลี่ย",
                "มัธยฐาน", "ไม่แสดง", "ณ วันที่",
                "งบประมาณ", "จัดสรร", "ใช้ไป", "คงเหลือใช้ได้",
                "ตามผู้รับ", "ตามสถานที่", "คาดการณ์", "บันทึกแล้ว", "คาดว่า", "รวมกลุ่ม",
            ]
        ),
        (
            "vi",
            [
                "Tổng quan", "Theo danh mục", "Theo thời gian", "Dòng tiền", "Phân tích",
                "Danh mục", "Khác", "Ròng", "Giao dịch", "Kỳ trước", "Lũy kế",
                "Không có tỷ giá", "Số người", "Trung bình", "Trung vị", "Không hiển thị",
                "Tính đến",
                "Ngân sách", "Đã phân bổ", "Đã chi", "Còn lại",
                "Theo người nhận", "Theo địa điểm", "Dự báo", "Đã ghi sổ", "Dự kiến", "Gộp chung",
            ]
        ),
        (
            "id",
            [
                "Ringkasan", "Menurut kategori", "Dari waktu ke waktu", "Arus kas", "Analisis",
                "Kategori", "Lainnya", "Neto", "Transaksi", "Periode sebelumnya", "Kumulatif",
                "Tanpa kurs", "Orang", "Rata-rata", "Median", "Disembunyikan", "Per tanggal",
                "Anggaran", "Dialokasikan", "Terpakai", "Tersedia",
                "Menurut penerima", "Menurut tempat", "Prakiraan", "Dibukukan", "Diperkirakan",
                "Digabungkan",
            ]
        ),
    ]
}
