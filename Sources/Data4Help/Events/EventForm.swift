import Domain
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
  /// - Throws: 500 for an entry that is not as it was stored, where the form can't say so.
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

  /// What is told in the place of samples that can't be read; nil for those that can. Track4Run
  /// reads one sequence for all runners, and asks for such an entry again later; a third party has
  /// nothing passed over.
  ///
  /// - Throws: 500 for samples that can't be read, where the form can't say so.
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
