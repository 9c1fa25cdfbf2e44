import AutomatedSOS
import EventLoop
import Operations

/// What an operator chooses about AutomatedSOS (docs/operations.md).
package struct EmergencySettings: Sendable {
  /// Seconds of critical readings that confirm an emergency (SOS-3).
  let confirmSeconds: Int
  /// Seconds in which the person can abort (SOS-4).
  let abortSeconds: Int
  /// Seconds in which the person can abort where a pulse is lost (SOS-13).
  let pulseAbortSeconds: Int
  /// Seconds that a hospital has to acknowledge (SOS-5).
  let acknowledgeSeconds: Int
  /// Whether any third party may answer, approved or not (SOS-12).
  let areAllAdmitted: Bool
  /// How long a person or phone waits for the database before they are served from memory
  /// (decision 0024). Asked before each wait.
  package var storeMax: @Sendable () -> Duration = { .milliseconds(300) }
  /// How long the clock waits for one emergency before it continues with the others.
  package var moveMax = Duration.seconds(1)
  /// How long the clock waits for the list of what is due before the database counts as away.
  package var answerMax = Duration.seconds(1)
  /// How long the database has to say what a device was paired for, and whether a person is
  /// monitored: a person is warned within half a second (SOS-2).
  package var lookMax = Duration.milliseconds(300)

  /// The register's times, and approved hospitals only.
  package static let usual = EmergencySettings(
    confirmSeconds: 3, abortSeconds: 5, acknowledgeSeconds: 30, areAllAdmitted: false)

  /// Settings of the given values.
  package init(
    confirmSeconds: Int, abortSeconds: Int, pulseAbortSeconds: Int = 20, acknowledgeSeconds: Int,
    areAllAdmitted: Bool
  ) {
    self.pulseAbortSeconds = pulseAbortSeconds
    self.confirmSeconds = confirmSeconds
    self.abortSeconds = abortSeconds
    self.acknowledgeSeconds = acknowledgeSeconds
    self.areAllAdmitted = areAllAdmitted
  }

  /// - Throws: `SettingsError` for the first that is wrong.
  init(_ settings: Settings) throws(SettingsError) {
    confirmSeconds = Int(try settings.value(SettingTable.sosConfirm).components.seconds)
    abortSeconds = Int(try settings.value(SettingTable.sosAbort).components.seconds)
    pulseAbortSeconds = Int(try settings.value(SettingTable.sosPulseAbort).components.seconds)
    acknowledgeSeconds = Int(
      try settings.value(SettingTable.sosAcknowledge).components.seconds)
    areAllAdmitted = try settings.value(SettingTable.hospitals) == "open"
  }

  /// The times of the detector; those of the register for what it refuses, which the settings'
  /// bounds rule out.
  var timing: Timing {
    Timing(
      confirmSeconds: confirmSeconds, abortSeconds: abortSeconds,
      pulseAbortSeconds: pulseAbortSeconds) ?? Timing()
  }
}
