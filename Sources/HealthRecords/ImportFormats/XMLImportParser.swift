import Domain
import XML

/// Maps the elements of an XML document to samples.
protocol SampleDocument: XMLDocument {
  /// Samples read and not taken yet.
  var samples: [Sample] { get set }
  /// The skipped records.
  var skipped: SkippedRecords { get }
}

extension SampleDocument {
  /// The attributes that both formats use.
  var attributes: [StaticString] {
    ["type", "unit", "value", "startDate", "endDate", "lat", "lon"]
  }
}

extension XMLElement.Attribute {
  static let type = Self(0)
  static let unit = Self(1)
  static let value = Self(2)
  static let startDate = Self(3)
  static let endDate = Self(4)
  static let lat = Self(5)
  static let lon = Self(6)
}

/// Reads the samples of an XML document.
final class XMLImportParser: ImportParser {
  private let document: any SampleDocument
  private let parser: XMLPushParser

  /// A parser that passes elements to `document`; nil if memory is short.
  init?(_ document: any SampleDocument, pieceBytes: Int) {
    guard let parser = XMLPushParser(document, within: ImportLimits.xml, pieceBytes: pieceBytes)
    else { return nil }
    self.document = document
    self.parser = parser
  }

  var sampleCount: Int { document.samples.count }

  var skipped: SkippedRecords { document.skipped }

  func takeSamples() -> [Sample] {
    defer { document.samples = [] }
    return document.samples
  }

  func feed(_ bytes: Span<UInt8>) throws(ImportFault) {
    do throws(XMLFault) { try parser.feed(bytes) } catch { throw ImportFault(error) }
  }

  func finish() throws(ImportFault) {
    do throws(XMLFault) { try parser.finish() } catch { throw ImportFault(error) }
  }
}

extension ImportFault {
  fileprivate init(_ fault: XMLFault) {
    self.init(line: fault.line, column: fault.column, fault.detail)
  }
}
