import Domain
import Time

// Properties of every text parsed as a domain value: it is refused, or the parsed value prints as a
// text that parses to the same value.

/// A parsed fiscal code has a real date, and its text parses to the same value.
package func fuzzFiscalCode(_ bytes: [UInt8]) {
  guard let code = try? FiscalCode(utf8: bytes.span) else { return }
  precondition(code.text.utf8.count == 16)
  precondition((1...12).contains(code.birthMonth) && (1...31).contains(code.birthDay))
  let again = try? FiscalCode(code.text)
  precondition(again == code, "a fiscal code reads differently from its own text")
}

/// A parsed P.IVA has eleven digits, and its text parses to the same value.
package func fuzzVATNumber(_ bytes: [UInt8]) {
  guard let number = try? VATNumber(utf8: bytes.span) else { return }
  precondition(number.text.utf8.count == 11 && number.text.utf8.allSatisfy { (48...57) ~= $0 })
  let again = try? VATNumber(number.text)
  precondition(again == number, "a P.IVA reads differently from its own text")
}

/// A parsed time or date prints as a text of the same instant.
package func fuzzInstant(_ bytes: [UInt8]) {
  if let time = try? Instant(utf8: bytes.span) {
    let again = try? Instant(time.description)
    precondition(again == time, "a time reads differently from its own text")
  }
  if let date = try? CalendarDate(utf8: bytes.span) {
    let again = try? CalendarDate(date.description)
    precondition(again == date, "a date reads differently from its own text")
  }
  if let time = try? Instant(appleExport: bytes.span) {
    precondition(Instant.firstWritable <= time && time <= Instant.lastWritable)
  }
}

/// A parsed coordinate is on the globe and prints as the same point.
package func fuzzCoordinate(_ bytes: [UInt8]) {
  guard let point = try? GeoPoint(utf8: bytes.span) else { return }
  precondition((-90...90).contains(point.latitude) && (-180...180).contains(point.longitude))
  let again = try? GeoPoint(point.text)
  precondition(again == point, "a point reads differently from its own text")
}

/// A parsed block of samples has as many samples as its header states, and their numbers alone are
/// the same.
package func fuzzSampleBlock(_ bytes: [UInt8]) {
  guard let samples = try? SampleBlock.decode(bytes.span) else { return }
  guard let header = try? SampleBlock.header(of: bytes.span) else {
    preconditionFailure("a block whose header can't be read was decoded")
  }
  precondition(header.count == samples.count)
  var numbers: [Double] = []
  do throws(SampleBlockError) {
    try SampleBlock.appendNumbers(of: bytes.span, to: &numbers)
  } catch {
    preconditionFailure("a block was decoded whose numbers can't be read")
  }
  precondition(numbers == samples.compactMap(\.value.number), "other numbers")
}
