import AutomatedSOS
import EventLoop
import Operations

/// What an operator chooses about AutomatedSOS (docs/operations.md).
package struct EmergencySettings: Sendable {
  /// Seconds of critical readings that confirm an emergency (SOS-3).
  let confirmSeconds: Int
  /// Seconds in which the person can abort (SOS-4).
  let abortSeconds: Int

  /// The register's times.
  package static let usual = EmergencySettings(confirmSeconds: 3, abortSeconds: 5)

  /// Settings of the given values.
  package init(confirmSeconds: Int, abortSeconds: Int) {
    self.confirmSeconds = confirmSeconds
    self.abortSeconds = abortSeconds
  }

  /// - Throws: `SettingsError` for the first that is wrong.
  init(_ settings: Settings) throws(SettingsError) {
    confirmSeconds = Int(try settings.value(SettingTable.sosConfirm).components.seconds)
    abortSeconds = Int(try settings.value(SettingTable.sosAbort).components.seconds)
  }

  /// The times of the detector; those of the register for what it refuses, which the settings'
  /// bounds rule out.
  var timing: Timing {
    Timing(confirmSeconds: confirmSeconds, abortSeconds: abortSeconds) ?? Timing()
  }
}
