internal import Glibc
internal import Synchronization

/// Time zones of the IANA database, as the system's `tzdata` has them.
///
/// ICU has a table of its own, which is as old as ICU: it lacks zones that browsers report. The
/// names are read once, from `tzdata.zi`; a zone's file is read when somebody first needs it.
public enum TimeZones {
    /// Where Debian's `tzdata` puts the database.
    static let folder = "/usr/share/zoneinfo"

    /// Has a service not start where the system lacks the database: it would take `UTC` for every
    /// zone.
    public static func requireDatabase() throws(TimeZonesMissing) {
        guard !names.isEmpty else { throw TimeZonesMissing() }
    }

    /// How many bytes a name may have.
    private static let nameBytesMax = 64

    /// Every zone and every link, each with the zone that it stands for.
    static let names: [String: String] = {
        var names: [String: String] = [:]
        for line in (file("tzdata.zi", bytesMax: 4 << 20) ?? []).split(separator: 0x0A) {
            let words = line.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
            if words.count > 1, words[0] == "Z" { names[words[1]] = words[1] }
            if words.count > 2, words[0] == "L" { names[words[2]] = words[1] }
        }
        return names
    }()

    /// Zones that somebody has needed; there are some hundred, and each takes 2 KB.
    private static let read = Mutex<[String: ZoneFile]>([:])

    /// Whether the database has the name (`Europe/Rome`); offsets such as `GMT+2` are no names.
    public static func isKnown(_ name: String) -> Bool { zone(name) != nil }

    /// The calendar day of an instant in a zone; nil where the zone is not known.
    public static func civilDay(
        ofMicroseconds microseconds: Int64,
        in zone: String
    ) -> (year: Int, month: Int, day: Int)? {
        guard let zone = Self.zone(zone) else { return nil }
        let seconds = CivilDate.floorDivide(Int(microseconds), 1_000_000)
        let local = seconds + zone.offset(at: seconds)
        return CivilDate.date(days: CivilDate.floorDivide(local, 86_400))
    }

    /// The instant at which a day begins in a zone, in microseconds since 1970.
    ///
    /// Where a change of clocks skips midnight, the first instant that there is; where it repeats
    /// midnight within the day, the first of both.
    public static func startOfDay(
        year: Int,
        month: Int,
        day: Int,
        in zone: String
    ) -> Int64? {
        guard let zone = Self.zone(zone) else { return nil }
        let midnight = CivilDate.days(year: year, month: month, day: day) * 86_400
        return Int64(zone.first(local: midnight)) * 1_000_000
    }

    private static func zone(_ name: String) -> ZoneFile? {
        // Before any comparison: it takes the square of the marks that a letter has.
        guard name.utf8.count <= nameBytesMax else { return nil }
        if name == "UTC" { return .utc }
        guard let target = names[name] else { return nil }
        if let known = read.withLock({ $0[name] }) { return known }
        // Some distributions put links into a package of their own.
        let bytes = file(name, bytesMax: 1 << 16) ?? file(target, bytesMax: 1 << 16)
        guard let zone = bytes.flatMap({ ZoneFile($0) }) else { return nil }
        read.withLock { $0[name] = zone }
        return zone
    }

    // Safety: the buffer is lent for one call, whose count bounds what is read of it.
    /// A file of the database; the names are the database's own, so that no path leaves its folder.
    private static func file(_ name: String, bytesMax: Int) -> [UInt8]? {
        let descriptor = unsafe open("\(folder)/\(name)", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var all: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while all.count <= bytesMax {
            let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
            guard count >= 0 else { return nil }
            if count == 0 { return all }
            all.append(contentsOf: buffer[..<count])
        }
        return nil
    }
}

/// The system has no time zones.
public struct TimeZonesMissing: Error, CustomStringConvertible {
    /// What to do.
    public let description = "\(TimeZones.folder)/tzdata.zi cannot be read: install tzdata"
}
