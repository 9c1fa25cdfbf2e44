import Domain
import JSON
import Time

/// A body that names a request: of `POST /req/tp/end`, `/req/single/end` and `/req/tp/pay`.
package struct RequestIdentifierBody: JSONDocumented {
  /// The request.
  package let requestID: DataRequestID

  /// The fields.
  package static let document = JSONDocument(
    .required("reqID", .requestID), make: RequestIdentifierBody.init)
}

/// The body of `POST /req/tp/sendSingle`.
package struct SendSingleBody: JSONDocumented {
  /// The identifier of the request, if the client chooses it.
  package let requestID: DataRequestID?
  /// The email of the person.
  package let email: EmailAddress?
  /// The fiscal code of the person.
  package let fiscalCode: FiscalCode?
  /// The requested types.
  package let types: [DataType]
  /// Whether new data is delivered as well.
  package let isSubscribing: Bool
  /// The length of the subscription; nil without one, even if a duration was sent.
  package let duration: RequestDuration?
  /// The start of the requested period.
  package let from: Instant?
  /// Its end.
  package let to: Instant?

  /// Checks the content of a body.
  init(
    _ requestID: DataRequestID?, email: EmailAddress?, fiscalCode: FiscalCode?, types: [DataType],
    isSubscribing: Bool, seconds: Int?, from: Instant?, to: Instant?
  ) throws(JSONError) {
    self.requestID = requestID
    self.email = email
    self.fiscalCode = fiscalCode
    self.types = types
    self.isSubscribing = isSubscribing
    duration = try RequestDuration.stated(seconds: seconds, isSubscribing: isSubscribing)
    self.from = from
    self.to = to
  }

  /// The fields.
  package static let document = JSONDocument(
    .optional("reqID", .chosenRequestID, requestIDMeaning, else: nil),
    .optional("email", .emptyableEmail, emailMeaning, else: nil),
    .optional("fc", .emptyableFiscalCode, fiscalCodeMeaning, else: nil),
    .required("dataTypes", .dataTypes),
    .required("subscribing", .boolean, subscribingMeaning),
    .optional("duration", .emptyableSeconds, durationMeaning, else: nil),
    .optional("from", .dateTime), .optional("to", .dateTime),
    make: SendSingleBody.init)
}

private let requestIDMeaning =
  "Chosen by the client, so that a repeated call creates only one request."
private let emailMeaning = "The user's email; either this or `fc`."
private let fiscalCodeMeaning = "The user's fiscal code; either this or `email`."
private let subscribingMeaning = "Whether to deliver new data as well."
private let durationMeaning = "The length of the subscription in seconds; 0 without one."

/// The body of `POST /req/tp/price`: that of a request to one person, or of one for a group.
package enum PricedRequestBody: JSONDocumented {
  /// A request to one person.
  case single(SendSingleBody)
  /// A request for a group: only this has search parameters.
  case group(SendGroupBody)

  /// Checks the content of a body.
  private init(
    _ id: DataRequestID?, email: EmailAddress?, fiscalCode: FiscalCode?, types: [DataType],
    isSubscribing: Bool, seconds: Int?, from: Instant?, to: Instant?, search: [String]?,
    breakdown: GroupBreakdown?
  ) throws(JSONError) {
    if let search {
      self = .group(
        try SendGroupBody(
          id, types: types, search: search, breakdown: breakdown, isSubscribing: isSubscribing,
          seconds: seconds, from: from, to: to))
    } else {
      self = .single(
        try SendSingleBody(
          id, email: email, fiscalCode: fiscalCode, types: types, isSubscribing: isSubscribing,
          seconds: seconds, from: from, to: to))
    }
  }

  /// The fields.
  package static let document = JSONDocument(
    .optional("reqID", .chosenRequestID, requestIDMeaning, else: nil),
    .optional("email", .emptyableEmail, emailMeaning, else: nil),
    .optional("fc", .emptyableFiscalCode, fiscalCodeMeaning, else: nil),
    .required("dataTypes", .dataTypes),
    .required("subscribing", .boolean, subscribingMeaning),
    .optional("duration", .emptyableSeconds, durationMeaning, else: nil),
    .optional("from", .dateTime), .optional("to", .dateTime),
    .optional("searchParams", .searchParameters, "For group requests."),
    .optional("groupBy", .breakdown, "For a group request."),
    make: PricedRequestBody.init)
}

/// The body of `POST /req/single/choice`.
package struct AnswerRequestBody: JSONDocumented {
  /// The answers.
  package enum Choice: String, Sendable, CaseIterable {
    /// Yes, perhaps in part.
    case accept
    /// No.
    case decline
  }

  /// The request.
  package let requestID: DataRequestID
  /// The answer.
  package let choice: Choice
  /// The accepted types; nil for all.
  package let types: [DataType]?
  /// The accepted length of a subscription; nil for the requested one.
  package let duration: RequestDuration?

  /// The fields.
  package static let document = JSONDocument(
    .required("reqID", .requestID),
    .required("choice", .choice),
    .optional("dataTypes", .dataTypes),
    .optional("duration", .requestDuration),
    make: AnswerRequestBody.init)
}

extension JSONForm<AnswerRequestBody.Choice> {
  /// A person's answer.
  fileprivate static var choice: Self { .enumCase("The choice is accept or decline.") }
}

/// The body of `POST /req/tp/mail`.
package struct MailDataBody: JSONDocumented {
  /// The formats of a file.
  package enum Format: String, Sendable, CaseIterable {
    /// The JSON of the download.
    case json
    /// Comma-separated values.
    case csv
    /// JSON objects, one per line.
    case ndjson
    /// A FHIR R4 bundle.
    case fhir
  }

  /// The request.
  package let requestID: DataRequestID
  /// The format of the file.
  package let format: Format

  /// The fields.
  package static let document = JSONDocument(
    .required("reqID", .requestID, "The request, single or group."),
    .required("format", .mailedFormat, "For a group `json` or `csv`."),
    make: MailDataBody.init)
}

extension JSONForm<MailDataBody.Format> {
  /// The format of a file.
  fileprivate static var mailedFormat: Self {
    .enumCase("The format is json, csv, ndjson or fhir.")
  }
}

extension JSONForm<[String]> {
  /// Search parameters of a request for a price, which the service parses.
  fileprivate static var searchParameters: Self {
    JSONForm<String>(.string(lengthMin: 1)).list(countMax: SearchParameter.countMax)
  }
}
