import Domain
import JSON

// The forms of values in bodies about requests for data.

extension JSONForm<DataRequestID> {
  /// The identifier of a request.
  static var requestID: Self {
    Self(.uuid) { (reader) throws(JSONError) in
      guard let identifier = try reader.stringBytes({ DataRequestID(utf8: $0) }) else {
        throw reader.refusal("A reqID is a UUID such as 123e4567-e89b-12d3-a456-426614174000.")
      }
      return identifier
    }
  }
}

extension JSONForm<DataRequestID?> {
  /// The identifier of a new request, if the client chooses it.
  static var chosenRequestID: Self { JSONForm<DataRequestID>.requestID.emptyable }
}

extension JSONForm<EmailAddress?> {
  /// The email of a person, if it names the person.
  static var emptyableEmail: Self { JSONForm<EmailAddress>.email.emptyable }
}

extension JSONForm<FiscalCode?> {
  /// The fiscal code of a person, if it names the person.
  static var emptyableFiscalCode: Self { JSONForm<FiscalCode>.fiscalCode.emptyable }
}

extension JSONForm<Int?> {
  /// The seconds of a subscription; 0 without one.
  static var emptyableSeconds: Self {
    JSONForm<Int>(.integer(0...secondsMax)).emptyable
  }

  fileprivate static var secondsMax: Int { 315_576_000 }
}

extension JSONForm<RequestDuration> {
  /// The seconds of a subscription.
  static var requestDuration: Self {
    Self(.integer(1...JSONForm<Int?>.secondsMax)) { (reader) throws(JSONError) in
      let seconds = try reader.integer()
      do throws(RequestDurationError) {
        return try RequestDuration(seconds: Int64(seconds))
      } catch {
        throw reader.refusal(error.description)
      }
    }
  }
}

extension RequestDuration {
  /// The duration of a body with this field `duration`: nil without a subscription, where 0 seconds
  /// are accepted too.
  static func stated(seconds: Int?, isSubscribing: Bool) throws(JSONError) -> RequestDuration? {
    guard let seconds, isSubscribing || seconds != 0 else { return nil }
    do throws(RequestDurationError) {
      let duration = try RequestDuration(seconds: Int64(seconds))
      return isSubscribing ? duration : nil
    } catch {
      throw JSONError(.refused(sentence: error.description), offset: 0, path: "duration")
    }
  }
}

extension JSONForm<GroupBreakdown> {
  /// The groups of a result.
  static var breakdown: Self { .enumCase("Group by ageBand, sex or region.") }
}
