import HTTP
import Services

/// How an entry of a sequence is written down for who reads it.
enum EventForm: Sendable {
  /// As third parties get it.
  case thirdParty
  /// As Track4Run gets it (`InternalEvent`).
  case track4run(DeletedAccountSeal)

  /// Entries of the log that one position is given at a time: Track4Run reads for all runners.
  var entriesMax: Int64 {
    switch self {
    case .thirdParty: ThirdPartySequence.entriesMax
    case .track4run: 2_000
    }
  }

  /// Samples that leave together.
  func item(
    _ samples: [DeliveredSample], of entry: EventRow, upTo number: Int64
  ) -> EventItem {
    switch self {
    case .thirdParty: EventItem(samples, of: entry, upTo: number)
    case .track4run: EventItem(InternalEvent(samples, of: entry, upTo: number), of: entry)
    }
  }

  /// What a request's reader is told of it, or of no request; nil for an entry of samples.
  ///
  /// - Throws: 500 for an entry that is not as it was stored.
  func item(
    _ entry: EventRow, _ request: SingleRequestRow?
  ) throws(Problem) -> EventItem? {
    switch self {
    case .thirdParty: return request.flatMap { EventItem(entry, $0) }
    case .track4run(let seal):
      let event = InternalEvent(entry, request, deleted: try seal.account(of: entry))
      return event.map { EventItem($0, of: entry) }
    }
  }
}
