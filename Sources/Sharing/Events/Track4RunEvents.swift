import Accounts
import Domain
import InternalAPI
import JSON
import ServiceKit
import Time

// The entries of Track4Run's sequence as events.

extension InternalEvent {
  /// Samples that are delivered together.
  init(_ samples: [DeliveredSample], of entry: EventRow, upTo number: Int64) {
    self.init(
      number: number, enteredAt: entry.enteredAt.flooredToMilliseconds,
      .samples(
        entry.requestID,
        samples.map { Sample(stored: $0.type, time: $0.sample.time, value: $0.sample.value) }))
  }

  /// An entry, or the part of one up to a number, that can't be read.
  init(unreadable entry: EventRow, upTo number: Int64) {
    self.init(number: number, enteredAt: entry.enteredAt.flooredToMilliseconds, .unreadable)
  }

  /// The event of a request or of an account; nil for an entry of samples.
  init?(_ entry: EventRow, _ request: SingleRequestRow?, deleted account: AccountID?) {
    guard let content = Self.content(of: entry, request, account) else { return nil }
    self.init(number: entry.lastNumber, enteredAt: entry.enteredAt.flooredToMilliseconds, content)
  }

  private static func content(
    of entry: EventRow, _ request: SingleRequestRow?, _ account: AccountID?
  ) -> Content? {
    switch entry.kind {
    case .data: nil
    case .answered: answer(entry, request).map { .answered(entry.requestID, $0) }
    case .ended:
      entry.reason.flatMap(StoredEndReason.init).map { .ended(entry.requestID, $0.reason) }
    case .erased:
      .erased(
        entry.requestID, entry.types, from: time(entry.fromTime), to: time(entry.toTime))
    case .unavailable:
      entry.reason.flatMap(UnavailableReason.init).map {
        .unavailable(entry.requestID, entry.types, $0.unavailability, until: time(entry.toTime))
      }
    case .accountDeleted: account.map { .accountDeleted($0) }
    case .emergencyCalled, .emergencyClosed: nil
    }
  }

  private static func answer(_ entry: EventRow, _ request: SingleRequestRow?) -> CheckInAnswer? {
    switch entry.status {
    case .accepted:
      if let types = request?.acceptedTypes, let endsAt = request?.endsAt {
        .accepted(types, endsAt: endsAt.flooredToMilliseconds)
      } else {
        nil
      }
    case .declined: .declined
    case .expired: .expired
    case .pending, .ended, .paymentDue, nil: nil
    }
  }

  private static func time(_ milliseconds: Int64?) -> Instant? {
    milliseconds.map(Instant.init(millisecondsSince1970:))
  }
}

extension EventItem {
  /// An event in the form for Track4Run.
  init(_ event: InternalEvent, of entry: EventRow) {
    var writer = JSONWriter()
    writer.value(event)
    self.init(
      number: event.number, name: event.name, enteredAt: entry.enteredAt,
      document: writer.bytes)
  }
}
