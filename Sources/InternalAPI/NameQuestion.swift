import Domain
import JSON
import ServiceKit

/// A query for the people among accounts who have the full name that a person entered (RUN-7).
package struct NameQuestion: Sendable, Hashable {
  /// The maximum number of accounts in one query.
  package static let countMax = 1_000
  /// The name.
  package let name: FullName
  /// The accounts.
  package let accounts: [AccountID]

  /// A query by a name about at most `countMax` accounts.
  package init(_ name: FullName, of accounts: [AccountID]) {
    self.name = name
    self.accounts = accounts
  }
}

/// The active people among the accounts of a query who have its name, in no particular order.
package struct PeopleOfName: Sendable, Hashable {
  /// Their accounts.
  package let accounts: [AccountID]

  /// The response.
  package init(_ accounts: [AccountID]) { self.accounts = accounts }
}

extension NameQuestion: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    var name: FullName?
    var accounts: [AccountID]?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "name": name = try Self.name(&reader)
      case "accounts": accounts = try reader.accounts(countMax: Self.countMax)
      default: break
      }
    }
    self.init(
      try reader.mandatory("name", name), of: try reader.mandatory("accounts", accounts))
  }

  private static func name(_ reader: inout JSONReader) throws(JSONError) -> FullName {
    let text = try reader.string()
    do throws(NameError) { return try FullName(text) } catch {
      throw reader.refusal(error.description)
    }
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.field("name", name.text)
      writer.field("accounts", accounts.map(\.rawValue))
    }
  }
}

extension PeopleOfName: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      try reader.object(with: "accounts") { (reader) throws(JSONError) in
        try reader.accounts(countMax: NameQuestion.countMax)
      })
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.field("accounts", accounts.map(\.rawValue)) }
  }
}
