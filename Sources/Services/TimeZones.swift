import Domain
import EventLoop
import Operations
import Synchronization

/// The time zones that are installed on this machine, each read when it is first named.
package final class TimeZones: Sendable {
  /// The name of the installation's zone, `TRACKME_TIME_ZONE`.
  package let standardName: String
  /// The rules of the installation's zone, in which days are counted.
  package let standard: TimeZoneRules
  /// Rules by name; only of installed zones, so that a client cannot fill it.
  private let known = Mutex<[String: TimeZoneRules]>([:])

  /// The path of the system's time zone database.
  package static let directory = "/usr/share/zoneinfo"
  /// Files and directories of the database that are no names of zones: leap-second variants and
  /// copies of the machine's own setting.
  private static let reserved: Set = ["right", "posix", "posixrules", "localtime", "Factory"]
  /// Characters of a name at most.
  package static let nameLengthMax = 64

  /// The installed zones, with that of the installation, whose rules these are.
  package init(standardName: String, standard: TimeZoneRules) {
    self.standardName = standardName
    self.standard = standard
  }

  /// The rules of a zone; nil where no zone of this name is installed.
  package func rules(named name: String) -> TimeZoneRules? {
    if name == standardName { return standard }
    guard Self.isName(name) else { return nil }
    if let rules = known.withLock({ $0[name] }) { return rules }
    guard let rules = Self.read(name) else { return nil }
    known.withLock { $0[name] = rules }
    return rules
  }

  /// The locale of an account that has chosen these. A language or zone that was not chosen is
  /// the installation's, and so is a zone that is no longer installed.
  package func locale(language: Language?, zoneName: String?) -> ReaderLocale {
    let language = language ?? .standard
    guard let zoneName, let zone = rules(named: zoneName) else {
      return ReaderLocale(language: language, zoneName: standardName, zone: standard)
    }
    return ReaderLocale(language: language, zoneName: zoneName, zone: zone)
  }

  /// Whether a text can name a zone: words of letters, digits, `_`, `+` and `-` between slashes,
  /// so that no path leads out of the database.
  private static func isName(_ name: String) -> Bool {
    let parts = name.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    guard name.utf8.count <= nameLengthMax, let first = parts.first,
      !reserved.contains(String(Substring(first)))
    else { return false }
    return parts.allSatisfy { part in
      !part.isEmpty
        && part.allSatisfy { byte in
          switch byte {
          case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "+"),
            UInt8(ascii: "-"):
            true
          default: false
          }
        }
    }
  }

  /// The rules in the file of a zone; nil where there is none, or where it holds something else.
  private static func read(_ name: String) -> TimeZoneRules? {
    guard let bytes = try? FileSystem.read("\(directory)/\(name)", bytesMax: 1 << 16) else {
      return nil
    }
    return try? TimeZoneRules(tzif: bytes)
  }
}

extension Settings {
  /// The installed time zones, with `TRACKME_TIME_ZONE` as that of the installation.
  ///
  /// - Throws: `StartError` that names the zone when its file is missing or damaged.
  package func timeZones() throws(StartError) -> TimeZones {
    let name: String
    do throws(SettingsError) { name = try value(SettingTable.timeZone) } catch {
      throw StartError(error)
    }
    return TimeZones(standardName: name, standard: try timeZone())
  }

  /// The rules of the time zone in which days are counted, from the system's files.
  ///
  /// - Throws: `StartError` that names the zone when its file is missing or damaged.
  package func timeZone() throws(StartError) -> TimeZoneRules {
    let name: String
    do throws(SettingsError) { name = try value(SettingTable.timeZone) } catch {
      throw StartError(error)
    }
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.read("\(TimeZones.directory)/\(name)", bytesMax: 1 << 20)
    } catch {
      throw StartError("The rules of the time zone \(name) can't be read", error)
    }
    do throws(TimeZoneRulesError) { return try TimeZoneRules(tzif: bytes) } catch {
      throw StartError("The rules of the time zone \(name) are damaged: \(error.description)")
    }
  }
}
