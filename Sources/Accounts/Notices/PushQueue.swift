/// The times and limits of queued push messages.
package enum PushQueue {
  /// The time that streams have to deliver a notice before it is pushed. An alarm is pushed at
  /// once.
  static let pause = Duration.seconds(5)
  /// How long an alarm is sent, and kept by push services: later stages replace it.
  static let alarmKeptFor = Duration.seconds(3600)
  /// How long other notices are.
  static let noticeKeptFor = Duration.seconds(86_400)
  /// How long the call of a hospital is: afterwards another recipient has been called.
  package static let callKeptFor = Duration.seconds(600)
  /// The most queued notices of a subscription, besides alarms.
  static let countMax: Int64 = 100
}
