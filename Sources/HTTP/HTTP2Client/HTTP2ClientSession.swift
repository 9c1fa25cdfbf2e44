import EventLoop
import Time

/// Receives the events of a client's session, on its loop.
package protocol HTTP2ClientSessionDelegate: AnyObject {
  /// `pullOutput` has something to do at the end of the turn.
  func outputAppeared()
  /// A request has ended, or the peer accepts another number of them.
  func roomChanged()
}

/// A client's side of an HTTP/2 connection without I/O (RFC 9113), for our own processes.
///
/// It does what the gateway's connections to the services need, at a fraction of the cost of
/// libnghttp2 (docs/decisions/0053): no compression table in either direction, no push, no
/// priorities, and streams found without hashing. The owner passes received bytes to `receive`,
/// sends the output once per turn, and calls `connectionLost` at the end, which also breaks the
/// reference cycles. Belongs to its loop.
///
/// Bytes that wait for a slow handler hold the stream's window, never the connection's: the limit
/// of memory is the number of streams times their window.
package final class HTTP2ClientSession {
  let loop: EventLoop
  let settings: HTTP2Settings
  let timeouts: HTTPTimeouts
  let bodyBytesMax: UInt64
  /// Receives events; released by `connectionLost`.
  package var delegate: (any HTTP2ClientSessionDelegate)? {
    get { owner }
    set { owner = newValue }
  }
  /// Not visible to other modules: the compiler then proves exclusive access, instead of checking
  /// it.
  private var owner: (any HTTP2ClientSessionDelegate)?

  // Input; used by the extension for frames.
  var reader = HTTP2FrameReader()
  var decoder = HPACKDecoder()
  var flood: HTTP2FloodGuard
  /// The block of a head that had the length of the one before, and the head. No block depends on
  /// earlier ones, so that equal ones have the same meaning.
  var latestBlock: [UInt8] = []
  var latestHead = ResponseHead(.ok)
  var latestBlockCount = 0
  /// The beginning of a head whose CONTINUATION has not arrived.
  var openHead: HTTP2OpenHead?
  /// Bytes received since the connection's window was last returned to the peer.
  var returnable = 0
  var isSettled = false
  private var isReceiving = false

  // Streams.
  var table = HTTP2StreamTable()
  var states = HTTP2StreamStates()
  private(set) var nextID: Int
  /// Requests above the peer's limit of streams, in their order.
  private var waiting: [HTTP2ClientStream] = []
  var peerStreamsMax: Int
  private var hasRoomChanged = false

  // Output.
  var writer = HTTP2FrameWriter()
  /// Streams whose bodies wait for the end of the turn or for the connection's window.
  var ready: [HTTP2ClientStream] = []
  var drained: [HTTP2ClientStream] = []
  var sendWindow = HTTP2FlowControl.initialWindow
  var peerWindow = HTTP2FlowControl.initialWindow
  /// Acknowledgements in the output.
  var answerCount = 0
  private(set) var movedID = -1
  private var isOutputAnnounced = false

  // The end.
  var peerLastStream = Int32.max
  /// Whether the peer, or this side, has announced the end of the connection.
  var isPeerGoingAway = false
  private var isShuttingDown = false
  private var isShutDownAnnounced = false
  private(set) var isCutOff = false
  private(set) var isLost = false
  private(set) var lossCause = StreamFailure.Cause.connectionLost

  /// Creates a session with its preface in the output; the first stream has the odd number
  /// `firstStream`.
  package init(
    on loop: EventLoop, settings: HTTP2Settings = .internal, timeouts: HTTPTimeouts = .init(),
    bodyBytesMax: UInt64 = HTTPLimits().bodyBytesMax, firstStream: Int32 = 1
  ) {
    self.loop = loop
    self.settings = settings
    self.timeouts = timeouts
    self.bodyBytesMax = bodyBytesMax
    flood = HTTP2FloodGuard(settings.flood)
    flood.advance(to: loop.now)
    peerStreamsMax = Int(settings.assumedPeerStreamsMax)
    nextID = Int(firstStream)
    write { $0.begin(settings) }
  }

  // MARK: Requests

  /// Streams that are open or wait for the peer's limit.
  package var streamCount: Int { table.count + waiting.count }

  /// Whether another request may be sent on this connection, now or when others have ended.
  package var acceptsRequests: Bool { mayOpenStreams && !isShuttingDown }

  private var mayOpenStreams: Bool {
    !isLost && !isCutOff && !isPeerGoingAway && nextID <= Int(Int32.max)
  }

  /// The number of further requests that can be sent now without waiting.
  package var room: Int { acceptsRequests ? max(0, peerStreamsMax - streamCount) : 0 }

  /// Sends a request; its handler is called only after this returns.
  package func send(
    _ head: borrowing RequestHead, endStream: Bool, handler: any ResponseHandler
  ) -> HTTP2ClientStream {
    var isForHead = false
    if case .head = head.method { isForHead = true }
    let stream = HTTP2ClientStream(
      self, isForHead: isForHead, length: head.contentLength, endStream: endStream, handler)
    guard accepts(stream) else { return stream }
    if waiting.isEmpty, table.count < peerStreamsMax {
      begin(stream, head)
    } else {
      wait(stream, copy head)
    }
    announceOutput()
    return stream
  }

  /// Sends a request whose head is prepared; its handler is called only after this returns.
  package func send(
    _ request: borrowing PreparedRequest, endStream: Bool, handler: any ResponseHandler
  ) -> HTTP2ClientStream {
    var isForHead = false
    if case .head = request.prepared.head.method { isForHead = true }
    let stream = HTTP2ClientStream(
      self, isForHead: isForHead, length: request.contentLength, endStream: endStream, handler)
    guard accepts(stream) else { return stream }
    if waiting.isEmpty, table.count < peerStreamsMax {
      open(stream)
      write { $0.head(request, stream: stream.id, endStream: !stream.hasBody) }
      widen(stream)
    } else {
      wait(stream, request.head)
    }
    announceOutput()
    return stream
  }

  /// Opens a stream, unless this connection accepts no more requests.
  private func accepts(_ stream: HTTP2ClientStream) -> Bool {
    guard acceptsRequests else {
      loop.endOfTurn { stream.refuse() }
      return false
    }
    stream.isOpen = true
    return true
  }

  private func wait(_ stream: HTTP2ClientStream, _ head: consuming RequestHead) {
    stream.waitingHead = Shared(head)
    var moved = waiting
    waiting = []
    moved.append(stream)
    waiting = moved
  }

  // Arrays are moved out while they change, here and below: elsewhere the compiler then proves
  // exclusive access to the property, instead of checking it for each request.

  /// Writes frames into the output.
  @inline(__always)
  func write(_ frames: (inout HTTP2FrameWriter) -> Void) {
    var moved = HTTP2FrameWriter()
    swap(&moved, &writer)
    frames(&moved)
    swap(&moved, &writer)
  }

  @inline(__always)
  private func changeTable(_ change: (inout HTTP2StreamTable) -> Void) {
    var moved = HTTP2StreamTable.vacant
    swap(&moved, &table)
    change(&moved)
    swap(&moved, &table)
  }

  private func begin(_ stream: HTTP2ClientStream, _ head: borrowing RequestHead) {
    open(stream)
    write { $0.head(head, stream: stream.id, endStream: !stream.hasBody) }
    widen(stream)
  }

  /// Assigns the next identifier to a stream.
  private func open(_ stream: HTTP2ClientStream) {
    let id = Int32(nextID)
    nextID += 2
    stream.id = id
    stream.sendWindow = peerWindow
    changeTable { $0.insert(stream) }
    states.open(id)
    stream.isSentWhole = !stream.hasBody
  }

  /// Announces a window that was widened while the request waited.
  private func widen(_ stream: HTTP2ClientStream) {
    let widened = stream.window - Int(settings.streamWindow)
    if widened > 0 { write { $0.windowUpdate(stream: stream.id, widened) } }
  }

  /// Sends waiting requests as far as the peer allows.
  func beginWaiting() {
    guard !waiting.isEmpty else { return }
    var count = 0
    while count < waiting.count, table.count < peerStreamsMax, mayOpenStreams {
      let stream = waiting[count]
      count += 1
      guard let head = stream.waitingHead else { continue }
      stream.waitingHead = nil
      begin(stream, head.value)
      if !stream.queue.isEmpty || stream.isEndQueued { makeReady(stream) }
      announceOutput()
    }
    if count > 0 { waiting = Array(waiting[count...]) }
    announceShutDown()
    // The connection has no further identifiers.
    while !mayOpenStreams, let stream = waiting.last { close(stream, .refused) }
  }

  // MARK: Input

  /// Processes bytes from the peer, and calls the handlers and the delegate before it returns. A
  /// violation of the protocol puts a GOAWAY into the output, and all further input is ignored.
  package func receive(_ bytes: Span<UInt8>) {
    guard !isCutOff, !isLost, !isReceiving else { return }
    isReceiving = true
    do throws(HTTP2Violation) {
      var reader = HTTP2FrameReader()
      swap(&reader, &self.reader)
      defer { swap(&reader, &self.reader) }
      var offset = 0
      while let frame = try reader.next(in: bytes, at: &offset) {
        if frame.isJoined {
          let joined = reader.takeJoined()
          try process(frame.header, joined.span.extracting(frame.payload))
          reader.putBack(joined)
        } else {
          try process(frame.header, bytes.extracting(frame.payload))
        }
        if isLost { break }
      }
    } catch {
      cutOff(error.code)
    }
    isReceiving = false
    if hasOutput || isFinished { announceOutput() }
    reportRoom()
  }

  /// Fails requests whose time-outs have expired.
  package func inspect(at now: MonotonicInstant) {
    for stream in table.unordered { stream.inspect(at: now) }
    for stream in waiting { stream.inspect(at: now) }
  }

  // MARK: Output

  /// Whether `pullOutput` would append bytes.
  package var hasOutput: Bool {
    guard !isLost else { return false }
    return !writer.isEmpty || (!ready.isEmpty && !isCutOff && sendWindow > 0)
  }

  /// Whether the connection should be closed once the output is sent.
  package var isFinished: Bool {
    isLost || isCutOff || (!acceptsRequests && streamCount == 0)
  }

  /// Appends bytes for the peer to `output`: all heads, and bodies up to about `limit` bytes. Call
  /// `reportEvents` next, outside all accesses to `output`.
  package func pullOutput(into output: inout [UInt8], limit: Int = 256 * 1024) {
    guard !isLost else { return }
    movedID = nextID - 2
    answerCount = 0
    write { $0.move(to: &output) }
    if !ready.isEmpty, !isCutOff { frameBodies(into: &output, upTo: output.count + limit) }
  }

  /// Notifies handlers of streams that drained in `pullOutput`, and the delegate of room.
  package func reportEvents() {
    isOutputAnnounced = false
    reportRoom()
    guard !drained.isEmpty else { return }
    let streams = drained
    drained = []
    for stream in streams where stream.isOpen { stream.drained() }
  }

  private func reportRoom() {
    guard hasRoomChanged, !isLost else { return }
    hasRoomChanged = false
    beginWaiting()
    owner?.roomChanged()
  }

  /// Asks the owner once per turn to pull the output.
  func announceOutput() {
    guard !isOutputAnnounced else { return }
    isOutputAnnounced = true
    owner?.outputAppeared()
  }

  // MARK: Ends

  /// Resets a stream; ignored if it is closed.
  func reset(_ stream: HTTP2ClientStream, _ code: HTTP2ErrorCode) {
    guard stream.isOpen else { return }
    if stream.id != 0, !isCutOff {
      write { $0.reset(stream: stream.id, code) }
      states.cut(stream.id)
    }
    close(stream, .resetHere)
  }

  /// Removes a stream and notifies its handler.
  func close(_ stream: HTTP2ClientStream, _ ending: HTTP2ClientStream.Ending) {
    guard stream.isOpen else { return }
    stream.isOpen = false
    if stream.id != 0 {
      changeTable { $0.remove(stream.id) }
    } else {
      waiting = waiting.filter { $0 !== stream }
    }
    hasRoomChanged = true
    if !isReceiving, !isLost { announceOutput() }
    stream.close(ending)
  }

  /// Closes the streams that a GOAWAY excludes, and the waiting requests.
  func closeRefused(above lastStream: Int32) {
    for stream in table.all where stream.id > lastStream { close(stream, .refused) }
    for stream in waiting { close(stream, .refused) }
  }

  /// Refuses new requests; the session is finished when the others have ended.
  package func shutDown() {
    guard !isLost, !isCutOff, !isShuttingDown else { return }
    isShuttingDown = true
    announceShutDown()
  }

  /// Sends GOAWAY once no request waits: a peer need not accept further streams after it.
  private func announceShutDown() {
    guard isShuttingDown, !isShutDownAnnounced, waiting.isEmpty else { return }
    isShutDownAnnounced = true
    write { $0.goAway(.noError) }
    announceOutput()
  }

  /// Ends the connection with this code in a GOAWAY.
  private func cutOff(_ code: HTTP2ErrorCode) {
    guard !isCutOff, !isLost else { return }
    isCutOff = true
    write { $0.goAway(code) }
  }

  /// The connection is lost for this reason: closes all streams and notifies their handlers.
  package func connectionLost(_ cause: StreamFailure.Cause) {
    guard !isLost else { return }
    isLost = true
    lossCause = cause
    owner = nil
    ready = []
    drained = []
    for stream in table.all + waiting { close(stream, .connectionLost) }
  }
}
