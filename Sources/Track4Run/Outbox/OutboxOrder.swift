import Domain
import JSON
import Services

/// Something that Data4Help is to do, each part of it once.
package enum OutboxOrder: Sendable {
  /// These enrolments of a run are to be asked to check in; who was asked is in the run's rows.
  case checkIns(runID: Int64, [DataRequestID])
  /// These check-ins are to be taken back.
  case ends([DataRequestID])
  /// Accounts are to be told of a run.
  case notice(NoticeOrder)
  /// Addresses are to get a mail.
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

  /// The run of check-ins to ask for.
  var runID: Int64? {
    if case .checkIns(let runID, _) = self { runID } else { nil }
  }

  /// The same in parts, as large as one call may be; none of an order about nobody.
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

  /// What stands in its row, as JSON.
  var document: any JSONWritable {
    switch self {
    case .checkIns(_, let requestIDs), .ends(let requestIDs): CheckInEnds(requestIDs)
    case .notice(let order): order
    case .mail(let order): order
    }
  }
}

extension Array {
  /// Its elements in their order, so many at a time.
  func parts(of countMax: Int) -> [[Element]] {
    stride(from: 0, to: count, by: countMax).map {
      Array(self[$0..<Swift.min($0 + countMax, count)])
    }
  }
}
