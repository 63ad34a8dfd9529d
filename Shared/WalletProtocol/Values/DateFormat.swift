/// How a person reads days.
public enum DateFormat: String, StringEnum {
    /// 2026-11-21.
    case yearMonthDay = "yyyy-MM-dd"
    /// 2026/11/21.
    case yearMonthDaySlashes = "yyyy/MM/dd"
    /// 21/11/2026.
    case dayMonthYear = "dd/MM/yyyy"
    /// 21.11.2026.
    case dayMonthYearDots = "dd.MM.yyyy"
    /// 21-11-2026.
    case dayMonthYearDashes = "dd-MM-yyyy"
    /// 11/21/2026.
    case monthDayYear = "MM/dd/yyyy"
}
