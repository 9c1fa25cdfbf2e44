import AutomatedSOS
import Operations

/// The operator's settings for AutomatedSOS (docs/operations.md).
package struct EmergencySettings: Sendable {
  /// Seconds of critical readings that confirm an emergency (SOS-3).
  let confirmSeconds: Int
  /// Seconds in which the person can abort (SOS-4).
  let abortSeconds: Int
  /// Seconds in which the person can abort after the loss of a pulse (SOS-13).
  let pulseAbortSeconds: Int
  /// Seconds for a hospital to acknowledge (SOS-5).
  let acknowledgeSeconds: Int
  /// Whether any third party may answer, approved or not (SOS-12).
  let areAllAdmitted: Bool
  /// How long a person or phone waits for the database before it is served from memory (decision
  /// 0024). Evaluated before each wait.
  package var storeMax: @Sendable () -> Duration = { .milliseconds(300) }
  /// How long the scheduler waits for one emergency before it continues with the others.
  package var advanceMax = Duration.seconds(1)
  /// How long the scheduler waits for the list of due emergencies before the database counts as
  /// unavailable.
  package var answerMax = Duration.seconds(1)
  /// How long a transaction on one emergency may take, including its wait for a connection.
  package var transactionMax = Duration.seconds(10)
  /// How long to wait for the database's answer which types a device was paired for, and whether a
  /// person is monitored: a person is warned within half a second (SOS-2).
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

  /// - Throws: `SettingsError` for the first invalid value.
  package init(_ settings: Settings) throws(SettingsError) {
    confirmSeconds = Int(try settings.value(SettingTable.sosConfirm).components.seconds)
    abortSeconds = Int(try settings.value(SettingTable.sosAbort).components.seconds)
    pulseAbortSeconds = Int(try settings.value(SettingTable.sosPulseAbort).components.seconds)
    acknowledgeSeconds = Int(
      try settings.value(SettingTable.sosAcknowledge).components.seconds)
    areAllAdmitted = try settings.value(SettingTable.hospitals) == "open"
  }

  /// The detector's times. If it rejects these, which the settings' bounds rule out, those of the
  /// register.
  var timing: Timing {
    Timing(
      confirmSeconds: confirmSeconds, abortSeconds: abortSeconds,
      pulseAbortSeconds: pulseAbortSeconds) ?? Timing()
  }
}
