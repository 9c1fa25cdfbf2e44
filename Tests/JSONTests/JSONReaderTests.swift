import JSON
import Requirements
import Testing

struct Login: Equatable, JSONReadable {
  var email: String
  var replace = false
  var codes: [Int] = []
  var phone: String?

  init(email: String, replace: Bool, codes: [Int], phone: String?) {
    (self.email, self.replace, self.codes, self.phone) = (email, replace, codes, phone)
  }

  init(from reader: inout JSONReader) throws(JSONError) {
    var email: String?
    try reader.beginObject()
    while let key = try reader.nextField() {
      switch key {
      case "email": email = try reader.string()
      case "replace": replace = try reader.boolean()
      case "codes": codes = try reader.list(countMax: 3)
      case "phone": phone = try reader.value()
      default: break
      }
    }
    guard let email else { throw reader.missing("email") }
    self.email = email
  }
}

@Suite("JSON reader: payloads")
struct JSONReaderTests {
  @Test("a payload is read field by field, and unread fields are skipped")
  func payload() throws {
    let text =
      #" {"unknown":[1,{"a":null}],"email":"a@b.it","replace":true,"codes":[1,2,3],"phone":null}"#
    let login = try JSONReader.read(Login.self, from: Array(text.utf8))
    #expect(login == Login(email: "a@b.it", replace: true, codes: [1, 2, 3], phone: nil))
  }
}
