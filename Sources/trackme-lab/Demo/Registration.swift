import Domain
import JSON
import Operations

/// A registration, to which the consents are added that the installation asks for.
struct Registration: Sendable {
  let kind: AccountKind
  let fields: [(String, String)]

  /// A registration of this kind of account with text fields.
  init(_ kind: AccountKind, _ fields: [(String, String)]) {
    self.kind = kind
    self.fields = fields
  }

  /// The path of its endpoint.
  var path: String {
    switch kind {
    case .singleUser: "/auth/reg/single"
    case .thirdParty: "/auth/reg/tp"
    }
  }

  /// The body with consent to those of the documents that concern the account (ACC-2).
  func body(consentingTo documents: [PublishedDocument]) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for (name, value) in fields { writer.field(name, value) }
      writer.array("consents") { writer in
        for document in documents where document.accountTypes.contains(kind.rawValue) {
          writer.object {
            $0.field("document", document.document)
            $0.field("version", document.version)
          }
        }
      }
    }
    return writer.bytes
  }
}

/// A document that the installation has published, without its texts.
struct PublishedDocument: JSONReadable, Sendable {
  private(set) var document = ""
  private(set) var version = ""
  private(set) var accountTypes: [String] = []

  init(from reader: inout JSONReader) throws(JSONError) {
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "document": document = try reader.string()
      case "version": version = try reader.string()
      case "accountTypes": accountTypes = try reader.list()
      default: break
      }
    }
  }

  /// The documents in an answer of `GET /auth/documents`.
  ///
  /// - Throws: `StartError` if the answer has another form.
  static func list(in answer: [UInt8]) throws(StartError) -> [PublishedDocument] {
    // A published text may be longer than a string that clients send.
    let limits = JSONLimits(bytesMax: 1 << 23, stringBytesMax: 1 << 20)
    do throws(JSONError) {
      var reader = JSONReader(answer, limits: limits)
      return try reader.object(with: "documents", [PublishedDocument].self)
    } catch {
      throw StartError("The list of documents can't be read: \(error.description)")
    }
  }
}
