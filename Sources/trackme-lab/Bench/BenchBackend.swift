import CLinux
import EventLoop
import HTTP
import Installation
import Operations

/// `trackme-lab bench backend`: a service that answers every request with the same 300 bytes, and
/// those for an export with 100 MB, over HTTP/1.1 and HTTP/2 without TLS. The gateway and nginx are
/// compared in front of this service.
enum BenchBackend {
  /// Bytes of the answer's body.
  static let bodyBytes = 300
  /// The path of the large answer.
  static let largePath = "/auth/export"
  /// Bytes of the large answer's body.
  static let largeBytes = 100_000_000

  /// Serves until the process is killed.
  ///
  /// - Throws: `StartError` if the address is invalid or in use.
  static func run(at text: String) throws(StartError) {
    guard text.hasPrefix("unix:/") else {
      throw StartError("\(text) is not a valid address, such as unix:/run/backend.sock.")
    }
    let address = SocketAddress.unix(path: String(text.dropFirst("unix:".count)))
    let loop: EventLoop
    do throws(SystemError) {
      loop = try EventLoop.start(name: "backend")
    } catch {
      throw StartError("The backend's loop can't be started", error)
    }
    loop.begin { await listen(address, on: loop) }
    while true { pause() }
  }

  private static func listen(_ address: SocketAddress, on loop: EventLoop) async {
    var settings = HTTPServerSettings()
    settings.http2 = .internal
    settings.timeouts.idle = .seconds(3600)
    let answer = FixedAnswer(bodyBytes: bodyBytes)
    do throws(ListenError) {
      _ = try await HTTPServer.start([address], on: [loop], settings: settings) { _ in
        { FixedAnswerHandler(answer) }
      }
      Terminal.say("ready")
    } catch {
      Terminal.complain("Listening on \(address) failed: \(error.cause)")
      _exit(ExitCode.failure.rawValue)
    }
  }
}

/// A JSON document of a fixed length.
private final class FixedAnswer: Sendable {
  let head: ResponseHead
  let body: [UInt8]

  init(bodyBytes: Int) {
    let frame = Array("{\"message\":\"\"}".utf8)
    body =
      frame.dropLast(2) + Array(repeating: UInt8(ascii: "x"), count: bodyBytes - frame.count)
      + frame.suffix(2)
    var head = ResponseHead(.ok, contentLength: UInt64(bodyBytes))
    head.fields.append(.contentType, "application/json")
    self.head = head
  }
}

/// Reads a whole request, then answers it.
private final class FixedAnswerHandler: RequestHandler {
  /// A part of the large answer.
  private static let part = Array(repeating: UInt8(ascii: "x"), count: 64 << 10)

  private let answer: FixedAnswer
  private var stream: (any ServerStream)?
  private var isLarge = false
  /// The bytes of the large answer that are not sent yet.
  private var left = 0

  init(_ answer: FixedAnswer) { self.answer = answer }

  func received(head: RequestHead, on stream: any ServerStream) {
    self.stream = stream
    isLarge = head.path.elementsEqual(BenchBackend.largePath.utf8)
  }

  func received(body: Span<UInt8>) {}

  func receivedEnd() {
    guard isLarge else {
      let body = answer.body
      stream?.send(head: answer.head, body: body.span)
      stream = nil
      return
    }
    left = BenchBackend.largeBytes
    var head = ResponseHead(.ok, contentLength: UInt64(left))
    head.fields.append(.contentType, "application/zip")
    stream?.send(head: head, endStream: false)
    drained()
  }

  func aborted(_ reason: StreamAbort) { stream = nil }

  func drained() {
    guard isLarge, let stream else { return }
    while left > 0, !stream.isCongested {
      let part = Self.part.span.extracting(first: min(left, Self.part.count))
      left -= part.count
      stream.send(body: part, endStream: left == 0)
    }
    if left == 0 { self.stream = nil }
  }
}
