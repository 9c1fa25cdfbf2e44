import Domain
import JSON
import ServiceKit
import Time

/// A request in the list of requests that a third party has sent.
enum SentRequest: Sendable {
  case single(SingleRequestRow)
  case group(GroupRequestRow)

  /// Its position in the list.
  var cursor: RequestCursor {
    switch self {
    case .single(let row): RequestCursor(after: row)
    case .group(let row): RequestCursor(after: row)
    }
  }

  /// Merges both kinds into one list, newest first.
  static func merged(
    _ singles: [SingleRequestRow], _ groups: [GroupRequestRow]
  ) -> [SentRequest] {
    (singles.map(SentRequest.single) + groups.map(SentRequest.group))
      .sorted { $1.cursor.comes(after: $0.cursor) }
  }
}

extension GroupRequestRow {
  /// Writes the entry of the third party's list.
  func write(to writer: inout JSONWriter, at now: Instant) {
    let (status, reason) = standing(at: now)
    writer.object { writer in
      writer.field("reqID", requestID.description)
      writer.field("kind", "group")
      writer.field("searchParams", search)
      writer.fieldIfPresent("groupBy", terms.breakdown?.rawValue)
      writer.field("dataTypes", terms.types.map(\.name))
      let isDue = isDue(at: now)
      writer.field("status", isDue ? "payment due" : status.apiName)
      writer.fieldIfPresent("reason", reason?.apiName)
      writer.field("subscribing", isSubscribing)
      writer.field("duration", duration?.seconds ?? 0)
      writer.field("createdAt", createdAt.description)
      writer.field("expiresAt", endsAt?.description)
      writer.field("acceptedTypes", status == .refused ? nil : terms.types.map(\.name))
      writer.field("from", terms.from?.description)
      writer.field("to", terms.to?.description)
      writer.field("amountDue", isDue ? priceCents : 0)
      writer.field("currency", PaymentTerms.currency)
    }
  }
}
