import Domain

/// The messages that a process sends at the same time, within limits.
///
/// A push service that does not answer holds a message for 15 s. Urgent messages therefore have
/// their own places, with a limit for each service and each account: the other places remain free
/// for the alarms of other people.
package struct PushPlaces: Sendable {
  /// The most urgent messages in progress.
  package static let urgentMax = 256
  /// The most other messages in progress.
  package static let othersMax = 64
  /// The most urgent messages in progress at one push service. Few services serve all browsers.
  package static let urgentMaxOfService = 128
  /// The most urgent messages in progress of one account: two for each of its browsers.
  package static let urgentMaxOfAccount = 20

  /// What a message occupies.
  package struct Place: Hashable, Sendable {
    let isUrgent: Bool
    let account: AccountID
    let service: String?

    /// The place of a message; `service` is the origin of the push service, nil for a message that
    /// is not sent.
    package init(isUrgent: Bool, account: AccountID, service: String?) {
      self.isUrgent = isUrgent
      self.account = account
      self.service = service
    }
  }

  private var counts: [Bool: Int] = [:]
  private var services: [String: Int] = [:]
  private var accounts: [AccountID: Int] = [:]

  /// All places are free.
  package init() {}

  /// Whether no message is in progress.
  package var isEmpty: Bool { counts.values.allSatisfy { $0 == 0 } }

  /// The number of free places.
  package func free(isUrgent: Bool) -> Int {
    (isUrgent ? Self.urgentMax : Self.othersMax) - (counts[isUrgent] ?? 0)
  }

  /// Occupies a place; false if the message has to wait for others of its service or account.
  package mutating func take(_ place: Place) -> Bool {
    guard free(isUrgent: place.isUrgent) > 0 else { return false }
    if place.isUrgent, let service = place.service {
      guard services[service] ?? 0 < Self.urgentMaxOfService,
        accounts[place.account] ?? 0 < Self.urgentMaxOfAccount
      else { return false }
    }
    add(1, to: place)
    return true
  }

  /// Frees a place that `take` occupied.
  package mutating func release(_ place: Place) { add(-1, to: place) }

  private mutating func add(_ change: Int, to place: Place) {
    counts[place.isUrgent, default: 0] += change
    guard place.isUrgent, let service = place.service else { return }
    // Without an entry for zero: services and accounts come and go.
    let (ofService, ofAccount) = (
      (services[service] ?? 0) + change, (accounts[place.account] ?? 0) + change
    )
    services[service] = ofService == 0 ? nil : ofService
    accounts[place.account] = ofAccount == 0 ? nil : ofAccount
  }
}
