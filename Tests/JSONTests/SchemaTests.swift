import FuzzTargets
import JSON
import Requirements
import Testing

/// The violation of a schema by a text, or nil if it fits.
func violation(
  of schema: JSONSchema, by text: String, limits: JSONLimits = JSONLimits()
) -> JSONError? {
  let validator = JSONValidator(schema)
  switch outcome({ () throws(JSONError) in
    try validator.validate(Array(text.utf8), limits: limits)
  }) {
  case .success: return nil
  case .failure(let error): return error
  }
}

let uploadSchema = JSONSchema.object([
  .required("dataTypes", .array(of: .string(lengthMin: 1), countMin: 1, countMax: 10_000)),
  .required("values", .array(of: .anyOf([.string(), .number()]), countMin: 1, countMax: 10_000)),
  .required("timestamp", .array(of: .dateTime, countMin: 1, countMax: 10_000)),
])

let profileSchema = JSONSchema.object([
  .required("full_name", .string(), "The person's name."),
  .required("sex", .oneOf(["M", "F"])),
  .optional("phone", JSONSchema.string(lengthMin: 3, lengthMax: 5).nullable),
  .optional("height", .number(0.2...2.8)),
  .optional("limit", .integer(1...500)),
  .optional("active", .boolean),
  .optional("nothing", .null),
  .optional("note", .string()),
  .optional(
    "diseases",
    .array(
      of: .object([
        .required("code", .string()),
        .optional("drugs", .array(of: .object([.required("dosesPerDay", .integer(minimum: 0))]))),
      ]), countMax: 2)),
])

@Suite("JSON schema: checking", .tags(.GW_2))
struct SchemaTests {
  func profile(_ fields: String) -> JSONError? {
    violation(of: profileSchema, by: #"{"full_name":"A","sex":"F","# + fields + "}")
  }

  @Test("a body that fits is accepted with fields in any order and with unknown fields")
  func accepted() {
    #expect(violation(of: profileSchema, by: #"{"full_name":"A","sex":"F"}"#) == nil)
    #expect(violation(of: profileSchema, by: #"{"x":{"y":[1]},"sex":"M","full_name":"è"}"#) == nil)
    #expect(violation(of: profileSchema, by: #"{"s\u0065x":"\u004D","full_name":"A"}"#) == nil)
    #expect(profile(#""phone":null,"height":2.8,"limit":500,"active":false,"nothing":null"#) == nil)
    #expect(profile(#""note":"","diseases":[]"#) == nil)
  }

  @Test("a mandatory field that is missing is named with its path")
  func missing() {
    let full = violation(of: profileSchema, by: #"{"sex":"F"}"#)
    #expect(full == JSONError(.missing, offset: 0, path: "full_name"))
    #expect(full?.sentence == "Add this mandatory field.")
    #expect(profile(#""diseases":[{"code":"a"},{}]"#)?.path == "diseases[1].code")
    #expect(
      profile(#""diseases":[{"code":"a","drugs":[{"name":"b"}]}]"#)?.path
        == "diseases[0].drugs[0].dosesPerDay")
  }

  @Test("a mandatory string that is empty is refused, an optional one is not")
  func empty() {
    let error = violation(of: profileSchema, by: #"{"full_name":"","sex":"F"}"#)
    #expect(error == JSONError(.empty, offset: 13, path: "full_name"))
    #expect(profile(#""note":"""#) == nil)
    let willing = JSONSchema.object([.required("a", .string(lengthMin: 0))])
    #expect(violation(of: willing, by: #"{"a":""}"#) == nil)
  }

  @Test(
    "a value of a different kind is refused, mandatory or not",
    arguments: [
      (#""full_name":1"#, "full_name"), (#""sex":true"#, "sex"), (#""sex":null"#, "sex"),
      (#""phone":5"#, "phone"), (#""height":"2""#, "height"), (#""limit":1.5"#, "limit"),
      (#""active":"true""#, "active"), (#""active":0"#, "active"), (#""nothing":0"#, "nothing"),
      (#""note":[]"#, "note"), (#""note":null"#, "note"), (#""diseases":{}"#, "diseases"),
      (#""diseases":[5]"#, "diseases[0]"),
    ])
  func mistyped(_ field: String, _ path: String) {
    let error = violation(of: profileSchema, by: "{\(field)}")
    guard case .mistyped = error?.reason else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(error?.path == path)
    #expect(error?.isUnreadable == false)
  }

  @Test("the length of a string is counted in characters, on both sides of the limits")
  func lengths() {
    #expect(profile(#""phone":"ab""#)?.reason == .tooShort(charactersMin: 3))
    #expect(profile(#""phone":"abc""#) == nil)
    #expect(profile(#""phone":"abcde""#) == nil)
    #expect(profile(#""phone":"abcdef""#)?.reason == .tooLong(charactersMax: 5))
    #expect(profile(#""phone":"èèèèè""#) == nil)
    #expect(profile(#""phone":"è😀""#)?.reason == .tooShort(charactersMin: 3))
    #expect(profile(#""phone":"\uD83D\uDE00\u00e8\n\"\\""#) == nil)
    #expect(profile(#""phone":"\u0041\u0041\u0041\u0041\u0041\u0041""#)?.path == "phone")
    let text = String(repeating: "è", count: 500)
    #expect(profile(#""note":"\#(text)""#) == nil)
    #expect(profile(#""note":"\#(text)è""#)?.sentence == "Shorten this to at most 500 characters.")
  }

  @Test("numbers outside their range are refused, those at the limits accepted")
  func ranges() {
    #expect(profile(#""height":0.2"#) == nil)
    #expect(profile(#""height":0.19999"#)?.sentence == "Give a number from 0.2 to 2.8.")
    #expect(profile(#""height":2.80001"#)?.path == "height")
    #expect(profile(#""limit":1"#) == nil)
    #expect(profile(#""limit":5e2"#) == nil)
    #expect(profile(#""limit":0"#)?.reason == .outOfRange(minimum: "1", maximum: "500"))
    #expect(profile(#""limit":501"#)?.path == "limit")
    let open = JSONSchema.integer(minimum: 0)
    #expect(violation(of: open, by: "-1")?.sentence == "Give a number of at least 0.")
    #expect(violation(of: open, by: "9223372036854775807") == nil)
    #expect(violation(of: .number(maximum: 1), by: "2")?.sentence == "Give a number of at most 1.")
  }

  @Test("a string that is not among the allowed ones is refused with the list")
  func allowed() {
    let error = violation(of: profileSchema, by: #"{"full_name":"A","sex":"f"}"#)
    #expect(error?.reason == .notAllowed(allowed: ["M", "F"]))
    #expect(error?.sentence == "Use one of M, F.")
    #expect(error?.path == "sex")
  }

  @Test("an upload of 10,000 samples is accepted, one of 10,001 refused at the last sample")
  func upload() {
    func body(_ count: Int) -> String {
      let types = Array(repeating: #""heartRate""#, count: count).joined(separator: ",")
      let values = Array(repeating: #"72,"72""#, count: count / 2) + (count % 2 == 1 ? ["1"] : [])
      let times = Array(repeating: #""2024-02-29T08:30:00+01:00""#, count: count)
      return #"{"dataTypes":[\#(types)],"values":[\#(values.joined(separator: ","))],"#
        + #""timestamp":[\#(times.joined(separator: ","))]}"#
    }
    #expect(violation(of: uploadSchema, by: body(1)) == nil)
    #expect(violation(of: uploadSchema, by: body(10_000)) == nil)
    let error = violation(of: uploadSchema, by: body(10_001))
    #expect(error?.reason == .tooMany(max: 10_000))
    #expect(error?.path == "dataTypes[10000]")
    let none = violation(of: uploadSchema, by: body(0))
    #expect(none?.reason == .tooFew(min: 1))
    #expect(none?.path == "dataTypes")
    let wrong = body(1000).replacing(#"72,"72"],"#, with: #"72,null],"#)
    let mistyped = violation(of: uploadSchema, by: wrong)
    #expect(mistyped?.path == "values[999]")
    #expect(mistyped?.sentence == "Give a string or a number here.")
  }

  @Test("alternatives of the same kind are tried in order")
  func alternatives() {
    let schema = JSONSchema.anyOf([
      .object([.required("email", .email)]), .object([.required("fc", .string())]), .integer(1...2),
    ])
    #expect(violation(of: schema, by: #"{"email":"a@b"}"#) == nil)
    #expect(violation(of: schema, by: #"{"fc":"x","o":{"p":1}}"#) == nil)
    #expect(violation(of: schema, by: #"{"o":{"p":1},"q":1}"#)?.path == "fc")
    #expect(violation(of: schema, by: #"{"o":1,"o":1}"#)?.reason == .duplicateName)
    #expect(violation(of: schema, by: "3")?.reason == .outOfRange(minimum: "1", maximum: "2"))
    #expect(
      violation(of: schema, by: "null")?.sentence == "Give a number or an object here.")
  }

  @Test("a dictionary accepts any names and checks every value")
  func dictionary() {
    let schema = JSONSchema.dictionary(of: .integer(minimum: 0))
    #expect(violation(of: schema, by: #"{"a":1,"b":2}"#) == nil)
    #expect(violation(of: schema, by: #"{"a":1,"b":-2}"#)?.path == "b")
    #expect(violation(of: schema, by: "{}") == nil)
  }

  @Test("each of 64 mandatory fields is checked")
  func many() {
    let names = (0..<64).map { "field\($0)" }
    let schema = JSONSchema.object(names.map { .required($0, .boolean) })
    func body(without left: String) -> String {
      let fields = names.filter { $0 != left }.reversed().map { #""\#($0)":true"# }
      return "{" + fields.joined(separator: ",") + "}"
    }
    #expect(violation(of: schema, by: body(without: "")) == nil)
    for name in names { #expect(violation(of: schema, by: body(without: name))?.path == name) }
  }

  @Test("a check is as strict as the reader, also in unknown fields")
  func strict() {
    for document in CorpusDocument.all {
      let read = refusal(document.bytes)
      let checked = outcome { () throws(JSONError) in
        try JSONValidator(.any).validate(document.bytes)
      }
      if case .failure(let error) = checked { #expect(error == read) } else { #expect(read == nil) }
    }
    #expect(profile(#""x":{"a":1,"a":1}"#)?.reason == .duplicateName)
    #expect(profile(#""note":"a","note":"b""#)?.reason == .duplicateName)
    #expect(
      violation(of: profileSchema, by: #"{"full_name":"A","sex":"F"}1"#)?.isUnreadable == true)
    #expect(violation(of: .number(), by: "1e999")?.reason == .numberOutOfRange)
  }
}

@Suite("JSON schema: extracting the token", .tags(.GW_2))
struct CaptureTests {
  func check(_ text: String, _ schema: JSONSchema = profileSchema) -> Result<JSONCheck, JSONError> {
    let validator = JSONValidator(schema)
    return outcome { () throws(JSONError) in
      try validator.check(Array(text.utf8), capturing: "authToken")
    }
  }

  @Test("the token is found in a body that fits, and in one that does not")
  func captured() throws {
    let fits = try check(#"{"full_name":"A","authToken":"t\u002F1","sex":"F"}"#).get()
    #expect(fits == JSONCheck(violation: nil, captured: "t/1"))
    let wrong = try check(#"{"full_name":1,"sex":"F","auth\u0054oken":"t"}"#).get()
    #expect(wrong.captured == "t")
    #expect(wrong.violation?.path == "full_name")
    #expect(try check(#"{"a":1,"authToken":"t"}"#, .any).get().captured == "t")
    #expect(try check(#"{"b":"x","authToken":"t"}"#, .dictionary(of: .text)).get().captured == "t")
  }

  @Test("a token in another place, of a different kind or outside an object is not extracted")
  func absent() throws {
    #expect(try check(#"{"x":{"authToken":"t"}}"#).get().captured == nil)
    #expect(try check(#"{"authToken":5}"#).get().captured == nil)
    #expect(try check(#"[{"authToken":"t"}]"#).get().captured == nil)
    #expect(try check("7", .any).get() == JSONCheck(violation: nil, captured: nil))
  }

  @Test("syntax errors take precedence over violations of the schema")
  func order() {
    for text in [#"{"full_name":1,"sex":"#, #"{"full_name":1}x"#, #"{"sex":5,"a":1,"a":1}"#] {
      guard case .failure(let error) = check(text) else {
        Issue.record("accepted \(text)")
        continue
      }
      #expect(error.isUnreadable)
    }
  }
}
