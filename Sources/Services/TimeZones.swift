import Domain
import EventLoop
import Operations

extension Settings {
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
      bytes = try FileSystem.read("/usr/share/zoneinfo/\(name)", bytesMax: 1 << 20)
    } catch {
      throw StartError("The rules of the time zone \(name) can't be read", error)
    }
    do throws(TimeZoneRulesError) { return try TimeZoneRules(tzif: bytes) } catch {
      throw StartError("The rules of the time zone \(name) are damaged: \(error.description)")
    }
  }
}
