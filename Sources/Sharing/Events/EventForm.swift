import Domain
import HealthRecords
import InternalAPI
import ServiceKit

/// The format of a sequence's entries for its reader.
enum EventForm: Sendable {
  /// The format for third parties.
  case thirdParty
  /// The format for Track4Run (`InternalEvent`).
  case track4run(DeletedAccountSeal)

  /// The most entries of the log for one position at a time: Track4Run reads for all runners.
  var entriesMax: Int64 {
    switch self {
    case .thirdParty: ThirdPartySequence.entriesMax
    case .track4run: 2_000
    }
  }

  /// Samples that are sent together.
  func item(
    _ samples: [DeliveredSample], of entry: EventRow, upTo number: Int64
  ) -> EventItem {
    switch self {
    case .thirdParty: EventItem(samples, of: entry, upTo: number)
    case .track4run: EventItem(InternalEvent(samples, of: entry, upTo: number), of: entry)
    }
  }

  /// An entry about a request, or about none, for its reader; nil for an entry of samples.
  ///
  /// - Throws: `internalError` for a damaged entry, if the form has no event for that.
  func item(
    _ entry: EventRow, _ request: SingleRequestRow?
  ) throws(ApplicationError) -> EventItem? {
    switch self {
    case .thirdParty: return request.flatMap { EventItem(entry, $0) }
    case .track4run(let seal):
      let account: AccountID?
      do throws(ApplicationError) { account = try seal.account(of: entry) } catch {
        return EventItem(InternalEvent(unreadable: entry, upTo: entry.lastNumber), of: entry)
      }
      return InternalEvent(entry, request, deleted: account).map { EventItem($0, of: entry) }
    }
  }

  /// The replacement for samples that can't be read; nil for those that can. Track4Run reads one
  /// sequence for all runners, and requests such an entry again later; for a third party no entry
  /// is skipped.
  ///
  /// - Throws: `internalError` for samples that can't be read, if the form has no event for that.
  func unreadable(
    _ samples: Result<[NumberedSample], ApplicationError>, of part: SequencePlan.Part
  ) throws(ApplicationError) -> EventItem? {
    switch (samples, self) {
    case (.success, _): return nil
    case (.failure(let problem), .thirdParty): throw problem
    case (.failure, .track4run):
      let event = InternalEvent(unreadable: part.entry, upTo: part.numbers.upperBound)
      return EventItem(event, of: part.entry)
    }
  }
}
