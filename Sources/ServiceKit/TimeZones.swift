import Domain
import EventLoop
import Operations
import Synchronization

/// The time zones installed on this machine, each read on first use.
package final class TimeZones: Sendable {
  /// The name of the installation's zone, `TRACKME_TIME_ZONE`.
  package let standardName: String
  /// The rules of the installation's zone, in which days are counted.
  package let standard: TimeZoneRules

  private struct State {
    /// Rules by name; only of installed zones, so that a client can't fill the memory.
    var known: [String: TimeZoneRules] = [:]
    /// Whether an unreadable file was logged already.
    var hasLoggedFailure = false
  }

  private let directory: String
  private let log: Log
  private let state = Mutex(State())

  /// The path of the system's time zone database.
  package static let directory = "/usr/share/zoneinfo"
  /// Files and directories of the database that are not zone names: leap-second variants and copies
  /// of the machine's own setting.
  private static let reserved: Set = ["right", "posix", "posixrules", "localtime", "Factory"]
  /// The maximum length of a name in characters.
  package static let nameLengthMax = 64

  /// The zones installed in a directory, with the name and the rules of the installation's zone.
  package init(
    standardName: String, standard: TimeZoneRules, in directory: String = TimeZones.directory,
    log: Log = .none
  ) {
    self.standardName = standardName
    self.standard = standard
    self.directory = directory
    self.log = log
  }

  /// The rules of a zone; nil if no zone of this name is installed, or if its file can't be read,
  /// which is logged once.
  package func rules(named name: String) -> TimeZoneRules? {
    if name == standardName { return standard }
    guard Self.isName(name) else { return nil }
    if let rules = state.withLock({ $0.known[name] }) { return rules }
    guard let rules = read(name) else { return nil }
    state.withLock { $0.known[name] = rules }
    return rules
  }

  /// The locale of an account with these choices. Without a choice it has the installation's
  /// language or zone, and so it has for a zone that was uninstalled since.
  package func locale(language: Language?, zoneName: String?) -> ReaderLocale {
    let language = language ?? .standard
    guard let zoneName, let zone = rules(named: zoneName) else {
      return ReaderLocale(language: language, zoneName: standardName, zone: standard)
    }
    return ReaderLocale(language: language, zoneName: zoneName, zone: zone)
  }

  /// Whether a text can name a zone: words of letters, digits, `_`, `+` and `-` between slashes, so
  /// that no path leads out of the database.
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

  private func read(_ name: String) -> TimeZoneRules? {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try FileSystem.read("\(directory)/\(name)", bytesMax: 1 << 16)
    } catch {
      if !error.isMissingFile { logFailure(error) }
      return nil
    }
    do throws(TimeZoneRulesError) { return try TimeZoneRules(tzif: bytes) } catch {
      // The directory also contains files of other kinds.
      if error != .notTZif {
        logFailure(ApplicationError(.internalError, cause: error.description))
      }
      return nil
    }
  }

  /// Logs the first failure, without the name of the zone, which may come from a request.
  private func logFailure(_ cause: some LogSafe & Error) {
    let isFirst = state.withLock { state in
      defer { state.hasLoggedFailure = true }
      return !state.hasLoggedFailure
    }
    guard isFirst else { return }
    log.failure(
      "read time zone failed", cause, .safe("directory", OperatorText(directory)))
  }
}

extension Settings {
  /// The installed time zones, with `TRACKME_TIME_ZONE` as that of the installation; later
  /// unreadable files are reported to `log`.
  ///
  /// - Throws: `StartError` that names the zone when its file is missing or damaged.
  package func timeZones(log: Log) throws(StartError) -> TimeZones {
    let name: String
    do throws(SettingsError) { name = try value(SettingTable.timeZone) } catch {
      throw StartError(error)
    }
    return TimeZones(standardName: name, standard: try timeZone(), log: log)
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
