import Domain
import JSON
import ServiceKit
import Time

/// A request that a notice is about, in its present state.
package struct NoticeRequest: Sendable {
  /// Its state at this moment, even before a worker has stored it.
  let single: SingleRequest
  /// Nil for a request whose account was deleted.
  let company: ThirdParty?
  /// The run of a check-in.
  let run: CheckInRun?

  var companyName: String { company?.companyName ?? CompanyName.ofDeletedAccounts }

  /// Whether the person can still answer.
  var isPending: Bool { single.status == .pending }

  /// The present state of a request, with its company and the run of a check-in.
  package init(single: SingleRequest, company: ThirdParty?, run: CheckInRun?) {
    self.single = single
    self.company = company
    self.run = run
  }

  /// Writes the content for the notice of a new request: the company and its description, the
  /// requested data and period (REQ-4), the present status, and for a check-in its run (R47). For a
  /// deleted company only that it is deleted.
  func write(to writer: inout JSONWriter) {
    writer.field("reqID", single.id.description)
    if let company {
      writer.field("email", company.email)
      writer.field("piva", company.vatNumber)
    }
    writer.field("company_name", companyName)
    if let company { writer.field("company_description", company.companyDescription) }
    writer.field("dataTypes", single.terms.types.map(\.name))
    writer.field("subscribing", single.terms.subscribing)
    writer.field("duration", single.terms.duration?.seconds)
    writer.field("from", single.terms.from?.description)
    writer.field("to", single.terms.to?.description)
    writer.field("expiresAt", single.expiresAt.description)
    writer.field("status", single.status.rawValue)
    if let run {
      run.write(to: &writer)
      writer.fieldIfPresent("startTime", single.terms.from?.description)
    }
  }
}

/// Finds the requests that notices are about.
package protocol NoticeRequestSource: Sendable {
  /// The requests of notices; those that can't be read are left out.
  ///
  /// - Throws: `unavailable` if a database is unavailable.
  func find(
    _ notices: [DecodedNotice]
  ) async throws(ApplicationError) -> [DataRequestID: NoticeRequest]
}
