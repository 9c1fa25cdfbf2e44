import Domain
import EventLoop
import HTTP
import JSON
import Postgres
import Services

/// The body of `POST /settings/single/data`.
struct ImportedTypesPayload: JSONReadable {
  /// The types to switch on.
  private(set) var on = DataTypeSet.none
  /// The types to switch off.
  private(set) var off = DataTypeSet.none
  /// The maximum number of types in one call.
  static let typesMax = 100

  init(from reader: inout JSONReader) throws(JSONError) {
    var types: [DataType]?
    var enabled: [Bool]?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "types": types = try Self.types(&reader)
      case "enabled": enabled = try reader.list(of: Bool.self, countMax: Self.typesMax)
      default: break
      }
    }
    guard let types else { throw reader.missing("types") }
    guard let enabled else { throw reader.missing("enabled") }
    guard !types.isEmpty else { throw Self.refusal("Name at least one data type.", "types") }
    guard types.count == enabled.count else {
      throw Self.refusal("Give one true or false for each data type.", "enabled")
    }
    for (type, isOn) in zip(types, enabled) {
      if isOn { on = on.union([type]) } else { off = off.union([type]) }
    }
    guard on.intersection(off).isEmpty else {
      throw Self.refusal("A data type can't be both on and off.", "types")
    }
  }

  private static func types(_ reader: inout JSONReader) throws(JSONError) -> [DataType] {
    var types: [DataType] = []
    try reader.beginArray(countMax: typesMax)
    while try reader.nextElement() {
      guard let type = try reader.stringBytes({ DataType(name: $0) }) else {
        throw reader.refusal("Name a data type, such as heartRate.")
      }
      types.append(type)
    }
    return types
  }

  private static func refusal(_ sentence: String, _ field: String) -> JSONError {
    JSONError(.refused(sentence: sentence), offset: 0, path: field)
  }
}

extension DataTypeSet {
  /// The union with these types.
  fileprivate func union(_ types: [DataType]) -> DataTypeSet { union(DataTypeSet(types)) }
}

/// The types that an account has switched off, as bits, and the end of its pause (DAT-8).
struct ChosenTypes: Statement {
  struct Row: Sendable {
    let disabled: Int64
    let pausedUntil: WallTime?
  }
  static let sql: SQL<Self> = """
    SELECT disabled_types, paused_until FROM sample_accounts WHERE account_id = \(\.account)
    """
  static let columns = Columns(Row.init)
  let account: AccountID
}

/// Switches types on and off.
struct ChooseTypes: Statement {
  static let sql: SQL<Self> = """
    UPDATE sample_accounts
       SET disabled_types = (disabled_types & ~(\(\.on)::int8)) | \(\.off)
     WHERE account_id = \(\.account)
    """
  let account: AccountID
  let on: Int64
  let off: Int64
}
