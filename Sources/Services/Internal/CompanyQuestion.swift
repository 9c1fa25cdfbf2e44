import Domain
import JSON

/// Which company has this email, of which an organiser says to know it (RUN-2); answered by
/// `KnownPeople`, by nobody where no active company has it.
package struct CompanyQuestion: Sendable, Hashable {
  /// The email.
  package let email: EmailAddress

  /// A question by an email.
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
