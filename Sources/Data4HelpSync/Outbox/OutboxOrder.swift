import Domain
import InternalAPI
import JSON

/// An order to Data4Help; each part of it is executed once.
package enum OutboxOrder: Sendable {
  /// Sends check-in requests to these enrolments of a run; the run's rows hold the requests.
  case checkIns(runID: Int64, [DataRequestID])
  /// Withdraws these check-ins.
  case ends([DataRequestID])
  /// Notifies accounts about a run.
  case notice(NoticeOrder)
  /// Sends a mail to addresses.
  case mail(MailOrder)

  /// The number of the kind in its column.
  var kind: OutboxKind {
    switch self {
    case .checkIns: .checkIns
    case .ends: .ends
    case .notice: .notice
    case .mail: .mail
    }
  }

  /// The run of an order for check-ins.
  var runID: Int64? {
    if case .checkIns(let runID, _) = self { runID } else { nil }
  }

  /// The order split into calls of permitted size; none for an order without recipients.
  var parts: [OutboxOrder] {
    switch self {
    case .checkIns(let runID, let requestIDs):
      requestIDs.parts(of: CheckInBatch.countMax).map { .checkIns(runID: runID, $0) }
    case .ends(let requestIDs): requestIDs.parts(of: CheckInEnds.countMax).map { .ends($0) }
    case .notice(let order):
      order.accounts.parts(of: NoticeOrder.countMax).map {
        .notice(NoticeOrder(to: $0, facts: order.facts, mail: order.mail))
      }
    case .mail(let order):
      order.addresses.parts(of: MailOrder.countMax).map { .mail(MailOrder(to: $0, order.mail)) }
    }
  }

  /// The content of its row, as JSON.
  var document: any JSONWritable {
    switch self {
    case .checkIns(_, let requestIDs), .ends(let requestIDs): CheckInEnds(requestIDs)
    case .notice(let order): order
    case .mail(let order): order
    }
  }
}

extension Array {
  /// The elements in their order, in groups of at most `countMax`.
  package func parts(of countMax: Int) -> [[Element]] {
    stride(from: 0, to: count, by: countMax).map {
      Array(self[$0..<Swift.min($0 + countMax, count)])
    }
  }
}
