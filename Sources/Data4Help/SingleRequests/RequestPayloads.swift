import Domain
import HTTP
import JSON
import Services

/// The body of `sendSingle`.
struct SendSinglePayload: JSONReadable {
  var requestID: DataRequestID?
  var email: EmailAddress?
  var fiscalCode: FiscalCode?
  let types: [DataType]
  let isSubscribing: Bool
  /// Nil without a subscription, even if a duration was sent.
  let duration: RequestDuration?
  var from: Timestamp?
  var to: Timestamp?

  init(from reader: inout JSONReader) throws(JSONError) {
    var types: [DataType]?
    var isSubscribing: Bool?
    var seconds: Int?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "reqID":
        requestID = try reader.valueUnlessEmpty { (reader) throws(JSONError) in
          try reader.requestID()
        }
      case "email":
        email = try reader.valueUnlessEmpty { (reader) throws(JSONError) in
          try reader.parsed { text throws(EmailAddressError) in try EmailAddress(utf8: text) }
        }
      case "fc":
        fiscalCode = try reader.valueUnlessEmpty { (reader) throws(JSONError) in
          try reader.parsed { text throws(FiscalCodeError) in try FiscalCode(utf8: text) }
        }
      case "dataTypes": types = try reader.dataTypes()
      case "subscribing": isSubscribing = try reader.boolean()
      case "duration":
        seconds = try reader.valueUnlessEmpty { (reader) throws(JSONError) in
          try reader.integer()
        }
      case "from":
        from = try reader.parsed { text throws(TimestampError) in try Timestamp(utf8: text) }
      case "to":
        to = try reader.parsed { text throws(TimestampError) in try Timestamp(utf8: text) }
      default: break
      }
    }
    self.types = try reader.mandatory("dataTypes", types)
    let subscribes = try reader.mandatory("subscribing", isSubscribing)
    self.isSubscribing = subscribes
    duration = try reader.duration(ofSeconds: seconds, subscribing: subscribes)
  }

  /// The person it names (R11).
  ///
  /// - Throws: `invalid` unless exactly one of email and fiscal code is present.
  func addressee() throws(ApplicationError) -> SingleRequestAddressee {
    do throws(SingleRequestTermsError) {
      return try SingleRequestAddressee(email: email, fiscalCode: fiscalCode)
    } catch {
      throw .invalid(error, field: "email")
    }
  }

  /// The requested terms, as of `now`.
  ///
  /// - Throws: `invalid` with the field that is wrong.
  func terms(now: Timestamp) throws(ApplicationError) -> SingleRequestTerms {
    do throws(SingleRequestTermsError) {
      return try SingleRequestTerms(
        types: types, subscribing: isSubscribing, duration: duration, from: from, to: to,
        now: now)
    } catch {
      throw .invalid(error, field: error.field)
    }
  }

  /// The requested terms without a check of their times, for a comparison with an earlier request.
  var statedTerms: SingleRequestTerms {
    SingleRequestTerms(
      stored: DataTypeSet(types), subscribing: isSubscribing,
      duration: duration, from: from, to: to)
  }
}

extension SingleRequestTermsError {
  /// The field that the client must change.
  fileprivate var field: String {
    switch self {
    case .noAddressee, .twoAddressees: "email"
    case .noTypes, .typeNamedTwice: "dataTypes"
    case .periodEmpty: "from"
    case .futureNeedsSubscription: "subscribing"
    case .durationMissing: "duration"
    }
  }
}

extension JSONReader {
  /// Reads a value for which null and an empty string mean that it is absent.
  mutating func valueUnlessEmpty<Value>(
    _ read: (inout JSONReader) throws(JSONError) -> Value
  ) throws(JSONError) -> Value? {
    try nullOrEmptyString() ? nil : try read(&self)
  }

  /// The duration of a body with this field `duration`: nil without a subscription, where 0 seconds
  /// are accepted too.
  func duration(ofSeconds seconds: Int?, subscribing: Bool) throws(JSONError) -> RequestDuration? {
    guard let seconds, subscribing || seconds != 0 else { return nil }
    do throws(RequestDurationError) {
      let duration = try RequestDuration(seconds: Int64(seconds))
      return subscribing ? duration : nil
    } catch {
      throw JSONError(.refused(sentence: error.description), offset: 0, path: "duration")
    }
  }
}

/// The body of the user's answer.
struct ChoicePayload: JSONReadable {
  enum Choice: String {
    case accept, decline
  }

  let requestID: DataRequestID
  let choice: Choice
  var types: [DataType]?
  var duration: RequestDuration?

  init(from reader: inout JSONReader) throws(JSONError) {
    var requestID: DataRequestID?
    var choice: Choice?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "reqID": requestID = try reader.requestID()
      case "choice":
        choice = Choice(rawValue: try reader.string())
        if choice == nil { throw reader.refusal("The choice is accept or decline.") }
      case "dataTypes": types = try reader.dataTypes()
      case "duration": duration = try reader.requestDuration()
      default: break
      }
    }
    self.requestID = try reader.mandatory("reqID", requestID)
    self.choice = try reader.mandatory("choice", choice)
  }
}

/// A body that names a request.
struct RequestNamePayload: JSONReadable {
  let requestID: DataRequestID

  init(from reader: inout JSONReader) throws(JSONError) {
    requestID = try reader.object(with: "reqID") { (reader) throws(JSONError) in
      try reader.requestID()
    }
  }
}
