import Domain
import JSON
import ServiceKit

/// A query for the company with an email that an organiser entered (RUN-2); the response is a
/// `KnownPeople`, empty if no active company has it.
package struct CompanyQuestion: Sendable, Hashable {
  /// The email.
  package let email: EmailAddress

  /// A query by an email.
  package init(_ email: EmailAddress) { self.email = email }
}

extension CompanyQuestion: JSONReadable, JSONWritable {
  /// Reads what `write` wrote.
  package init(from reader: inout JSONReader) throws(JSONError) {
    self.init(
      try reader.object(with: "email") { (reader) throws(JSONError) in
        try reader.parsed { text throws(EmailAddressError) in try EmailAddress(utf8: text) }
      })
  }

  /// Writes an object.
  package func write(to writer: inout JSONWriter) {
    writer.object { $0.field("email", email.text) }
  }
}
