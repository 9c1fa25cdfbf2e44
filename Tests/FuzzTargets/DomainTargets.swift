import Domain

// What must hold of every text that claims to be a value of the domain: it is refused, or what is
// read prints as something that reads the same.

/// A fiscal code that is read has a real date and reads the same from its text.
package func fuzzFiscalCode(_ bytes: [UInt8]) {
  guard let code = try? FiscalCode(utf8: bytes.span) else { return }
  precondition(code.text.utf8.count == 16)
  precondition((1...12).contains(code.birthMonth) && (1...31).contains(code.birthDay))
  let again = try? FiscalCode(code.text)
  precondition(again == code, "a fiscal code reads differently from its own text")
}

/// A P.IVA that is read has eleven digits and reads the same from its text.
package func fuzzVATNumber(_ bytes: [UInt8]) {
  guard let number = try? VATNumber(utf8: bytes.span) else { return }
  precondition(number.text.utf8.count == 11 && number.text.utf8.allSatisfy { (48...57) ~= $0 })
  let again = try? VATNumber(number.text)
  precondition(again == number, "a P.IVA reads differently from its own text")
}

/// A time or date that is read prints as one that is the same moment.
package func fuzzTimestamp(_ bytes: [UInt8]) {
  if let time = try? Timestamp(utf8: bytes.span) {
    let again = try? Timestamp(time.description)
    precondition(again == time, "a time reads differently from its own text")
  }
  if let date = try? CalendarDate(utf8: bytes.span) {
    let again = try? CalendarDate(date.description)
    precondition(again == date, "a date reads differently from its own text")
  }
  if let time = try? Timestamp(appleExport: bytes.span) {
    precondition(Timestamp.first <= time && time <= Timestamp.last)
  }
}

/// A coordinate that is read lies on the globe and prints as the same point.
package func fuzzCoordinate(_ bytes: [UInt8]) {
  guard let point = try? GeoPoint(utf8: bytes.span) else { return }
  precondition((-90...90).contains(point.latitude) && (-180...180).contains(point.longitude))
  let again = try? GeoPoint(point.text)
  precondition(again == point, "a point reads differently from its own text")
}

/// A block of samples that is read has as many samples as its header says.
package func fuzzSampleBlock(_ bytes: [UInt8]) {
  guard let samples = try? SampleBlock.decode(bytes.span) else { return }
  guard let header = try? SampleBlock.header(of: bytes.span) else {
    preconditionFailure("a block whose header can't be read was decoded")
  }
  precondition(header.count == samples.count)
}
