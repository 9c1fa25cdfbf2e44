import Domain
import Postgres
import Time

/// The form in which data was delivered; the raw value is that of the column.
package enum AccessFormat: Int16, PostgresValue, CaseIterable {
  /// A page of JSON.
  case json = 1
  /// A part of a CSV file.
  case csv = 2
  /// On a stream of server-sent events.
  case stream = 3
  /// By reading the third party's own sequence.
  case events = 4
  /// By a callback.
  case callback = 5
  /// A part of a file with one JSON document per line.
  case ndjson = 6
  /// A part of a FHIR bundle.
  case fhir = 7
  /// A file sent by mail.
  case mail = 8
  /// A track of a run.
  case gpx = 9
  /// Name and email of a runner who checked in, without samples.
  case identity = 10
  /// Spoken in a telephone call.
  case voice = 11
  /// Nothing was sent: a recipient acknowledged a call, or listened to it.
  case acknowledgement = 12

  /// The name in the API.
  package var apiName: String {
    switch self {
    case .json: "json"
    case .csv: "csv"
    case .stream: "stream"
    case .events: "events"
    case .ndjson: "ndjson"
    case .fhir: "fhir"
    case .callback: "callback"
    case .mail: "mail"
    case .gpx: "gpx"
    case .identity: "name and email"
    case .voice: "voice"
    case .acknowledgement: "acknowledgement"
    }
  }
}

/// Personal data about to be delivered, as the access record stores it.
package struct AccessedData: Sendable {
  /// The account that the data belongs to.
  package let account: AccountID
  /// The recipient.
  package let thirdParty: AccountID
  /// The request that permits the access; nil if none is needed.
  package let requestID: DataRequestID?
  /// The time of the access.
  package let time: Instant
  /// The form of the delivery.
  package let format: AccessFormat
  /// The types of the samples.
  package let types: DataTypeSet
  /// The third party's number of the first sample.
  package let firstNumber: Int64
  /// The third party's number of the last sample.
  package let lastNumber: Int64
  /// The number of samples.
  package let count: Int

  /// Data with these properties.
  package init(
    account: AccountID, thirdParty: AccountID, requestID: DataRequestID?, time: Instant,
    format: AccessFormat, types: DataTypeSet, firstNumber: Int64, lastNumber: Int64, count: Int
  ) {
    self.account = account
    self.thirdParty = thirdParty
    self.requestID = requestID
    self.time = time
    self.format = format
    self.types = types
    self.firstNumber = firstNumber
    self.lastNumber = lastNumber
    self.count = count
  }
}

extension AccountID {
  /// Marks a recipient without an account in the access record: an emergency contact, or the
  /// emergency number. No account has this number.
  package static let noAccount = AccountID(rawValue: 0)
}

/// An entry of the access record.
struct AccessEntry: Sendable {
  let account: AccountID
  /// Its number in the person's record, from 1.
  let number: Int64
  let thirdParty: AccountID
  let requestID: DataRequestID?
  let accessedAt: Instant
  let format: AccessFormat
  let types: DataTypeSet
  let firstNumber: Int64
  let lastNumber: Int64
  let count: Int32

  init(_ data: AccessedData, number: Int64) {
    account = data.account
    self.number = number
    thirdParty = data.thirdParty
    requestID = data.requestID
    accessedAt = data.time
    format = data.format
    types = data.types
    firstNumber = data.firstNumber
    lastNumber = data.lastNumber
    count = Int32(clamping: data.count)
  }

  init(_ row: AccessRow) {
    account = row.account
    number = row.number
    thirdParty = row.thirdParty
    requestID = row.requestID
    accessedAt = row.accessedAt
    format = row.format
    types = row.types
    firstNumber = row.firstNumber
    lastNumber = row.lastNumber
    count = row.count
  }

  /// The bytes that the chain covers: a version, then every column as big-endian words of fixed
  /// length, so that different entries never have the same bytes.
  var bytes: [UInt8] {
    var bytes: [UInt8] = [1, requestID == nil ? 0 : 1]
    func append(_ word: UInt64) {
      for shift in stride(from: 56, through: 0, by: -8) {
        bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift)))
      }
    }
    append(requestID?.high ?? 0)
    append(requestID?.low ?? 0)
    for value in [
      account.rawValue, number, thirdParty.rawValue, accessedAt.microsecondsSince1970,
      Int64(format.rawValue), Int64(types.bits), firstNumber, lastNumber, Int64(count),
    ] { append(UInt64(bitPattern: value)) }
    return bytes
  }
}
