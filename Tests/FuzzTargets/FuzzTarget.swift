import HealthRecords

/// A parser of hostile input with its required properties and the name of its corpus.
///
/// `make fuzz` runs each under libFuzzer; FuzzTests replays the corpora in every test run.
package enum FuzzTarget: String, CaseIterable, Sendable {
  case requestHead = "request-head"
  case chunkedBody = "chunked-body"
  case fieldBlock = "field-block"
  case serverFrames = "server-frames"
  case clientFrames = "client-frames"
  case responseHeads = "response-heads"
  case traceParent = "trace-parent"
  case cookie
  case knownHead = "known-head"
  case json
  case schema
  case fiscalCode = "fiscal-code"
  case vatNumber = "vat-number"
  case timestamp
  case coordinate
  case sampleBlock = "sample-block"
  case importing = "import"
  case healthAutoExport = "health-auto-export"
  case gpx
  case detector
  case gpxPath = "gpx-path"
  case picture
  case positionsEvent = "positions-event"

  /// The folder of the corpus. The schema check shares the JSON reader's corpus, and paths share
  /// that of the imports.
  package var corpus: String {
    switch self {
    case .schema: FuzzTarget.json.rawValue
    case .gpxPath: FuzzTarget.gpx.rawValue
    default: rawValue
    }
  }

  /// Stops the process if a property fails for these bytes.
  package func run(_ bytes: [UInt8]) {
    switch self {
    case .requestHead: fuzzRequestHead(bytes)
    case .chunkedBody: fuzzChunkedBody(bytes)
    case .fieldBlock: fuzzFieldBlock(bytes)
    case .serverFrames: fuzzServerFrames(bytes)
    case .clientFrames: fuzzClientFrames(bytes)
    case .responseHeads: fuzzResponseHeads(bytes)
    case .traceParent: fuzzTraceParent(bytes)
    case .cookie: fuzzCookie(bytes)
    case .knownHead: fuzzKnownHead(bytes)
    case .json: fuzzJSON(bytes)
    case .schema: fuzzSchema(bytes)
    case .fiscalCode: fuzzFiscalCode(bytes)
    case .vatNumber: fuzzVATNumber(bytes)
    case .timestamp: fuzzInstant(bytes)
    case .coordinate: fuzzCoordinate(bytes)
    case .sampleBlock: fuzzSampleBlock(bytes)
    case .importing: fuzzImport(bytes)
    case .healthAutoExport: fuzzImport(bytes, .healthAutoExport)
    case .gpx: fuzzImport(bytes, .gpx)
    case .detector: fuzzDetector(bytes)
    case .gpxPath: fuzzGPXPath(bytes)
    case .picture: fuzzPicture(bytes)
    case .positionsEvent: fuzzPositionsEvent(bytes)
    }
  }
}
