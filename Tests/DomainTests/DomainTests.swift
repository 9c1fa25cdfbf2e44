import Domain
import Requirements
import Testing

@Test("personal data shows nothing when it is printed, described or dumped", .tags(.NFR_5))
func personalDataIsRedacted() throws {
  let values: [(any Redacted, String)] = [
    (try EmailAddress("mario.rossi@example.org"), "rossi"),
    (try FiscalCode("RSSMRA80A01H501U"), "RSSMRA"),
    (try FullName("Mario Rossi"), "Rossi"),
    (try Password("correct horse battery"), "horse"),
    (try GeoPoint("45.4781,9.2273"), "45"),
    (SampleValue.number(71.5), "71"),
  ]
  for (value, secret) in values {
    var dumped = ""
    dump(value, to: &dumped)
    for text in ["\(value)", String(reflecting: value), dumped] {
      #expect(!text.contains(secret))
    }
  }
}
