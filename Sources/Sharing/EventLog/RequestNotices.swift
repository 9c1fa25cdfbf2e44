import Accounts
import Domain
import JSON
import ServiceKit
import Time

/// The notices about a request to both sides (REQ-4, REQ-9).
package enum RequestNotices {
  /// To the person: a new request with its first status, which is not `pending` for a third party
  /// that the person trusts (REQ-3). `NoticeRequest` looks up company and data when the notice is
  /// read, so that the notice itself stores no data of the company.
  package static func asked(_ request: SingleRequest) -> Notice {
    Notice(.request, to: request.singleUser) { writer in
      writer.field("reqID", request.id.description)
      writer.field("status", request.status.rawValue)
    }
  }

  /// To the third party: the answer, or its absence at the deadline. None for a check-in: Track4Run
  /// notifies its organiser.
  static func answered(_ request: SingleRequest) -> [Notice] {
    request.purpose == .checkIn ? [] : [answer(request)]
  }

  private static func answer(_ request: SingleRequest) -> Notice {
    Notice(.answer, to: request.thirdParty) { writer in
      writer.field("reqID", request.id.description)
      writer.field("status", request.status.rawValue)
      if case .ended(_, let reason, _) = request.state {
        writer.field("reason", reason.rawValue)
      } else if let acceptance = request.acceptance {
        writer.field("acceptedTypes", acceptance.types.map(\.name))
        writer.fieldIfPresent("endsAt", acceptance.endsAt?.description)
      }
    }
  }

  /// To the side that did not end it; none to the organiser of a check-in, whom Track4Run notifies.
  package static func ended(
    _ request: SingleRequest, _ reason: SingleRequest.EndReason
  ) -> [Notice] {
    guard reason == .singleUser else { return [ended(request.id, reason, to: request.singleUser)] }
    return request.purpose == .checkIn ? [] : [ended(request.id, reason, to: request.thirdParty)]
  }

  /// To either side: delivery of data has ended.
  package static func ended(
    _ requestID: DataRequestID, _ reason: SingleRequest.EndReason, to account: AccountID
  ) -> Notice {
    Notice(.ended, to: account) { writer in
      writer.field("reqID", requestID.description)
      writer.field("status", SingleRequestStatus.ended.rawValue)
      writer.field("reason", reason.rawValue)
    }
  }

  /// To the third party: delivery of these types is suspended, and the request stays open.
  static func unavailable(
    _ notified: EnterAccountEvents.Row, _ reason: UnavailableReason, until: Instant?
  ) -> Notice {
    Notice(.ended, to: notified.thirdParty) { writer in
      writer.field("reqID", notified.requestID.description)
      writer.field("status", SingleRequestStatus.accepted.rawValue)
      writer.field("dataTypes", notified.types.map(\.name))
      writer.field("reason", reason.apiName)
      writer.fieldIfPresent("until", until?.description)
    }
  }

  /// To either side: a subscription ends soon.
  static func endsSoon(
    _ requestID: DataRequestID, at end: Instant?, to account: AccountID
  ) -> Notice {
    Notice(.ended, to: account) { writer in
      writer.field("reqID", requestID.description)
      writer.field("status", SingleRequestStatus.accepted.rawValue)
      writer.fieldIfPresent("endsAt", end?.description)
    }
  }
}
