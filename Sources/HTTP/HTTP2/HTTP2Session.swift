import CNghttp2
import EventLoop

/// One side of an HTTP/2 connection as a machine without input and output (RFC 9113).
///
/// The owner passes what it reads to `receive`, and sends what `pullOutput` returns: after every
/// `receive` and after any other call, best once a turn for all streams together. When `isFinished`
/// turns true and the output was sent, it closes the connection; when the connection is lost it
/// calls `connectionLost`, which also breaks the cycle between session and streams. Belongs to one
/// thread at a time.
@safe package final class HTTP2Session {
  /// Which side this is.
  package let role: HTTP2Role
  /// What the peer was granted.
  package let settings: HTTP2Settings
  /// Hears of new streams and of the connection.
  package weak var delegate: (any HTTP2SessionDelegate)?

  /// The library's session; valid until deinit.
  let raw: OpaquePointer
  var reader: HTTP2HeadReader
  var writer = HTTP2HeadWriter()
  var flood: HTTP2FloodGuard
  var scanner: HTTP2FrameScanner
  var states = HTTP2StreamStates()
  /// Streams that the library has not closed, in no order.
  private(set) var streams: [HTTP2Stream] = []
  var output: [UInt8] = []
  var outputBytesMax = 0
  var drained: [HTTP2Stream] = []
  /// Bytes of bodies that wait for the peer's windows, on all streams, and those it has taken.
  package internal(set) var waitingBytes = 0
  package internal(set) var takenBytes: UInt64 = 0
  private var isInsideLibrary = false
  private var failure: HTTP2Error?

  /// Why this side gave the connection up, if it did: what its last GOAWAY said.
  package internal(set) var sentGoAway: HTTP2ErrorCode?
  /// When the field block began that has not ended yet, by the time of `receive`; nil between field
  /// blocks. The owner ends the connection when a head takes too long.
  package internal(set) var headBegan: MonotonicInstant?
  private(set) var now = MonotonicInstant.zero
  /// Whether the peer is being cut off, so that what it still sends is ignored.
  private(set) var isCutOff = false
  /// Bytes that were judged and not yet read by the library, in pieces for one turn each.
  private var unread: [[UInt8]] = []
  /// The code to end the connection with once the library has read them.
  private var unreadOffence: HTTP2ErrorCode?

  /// A session whose first bytes (a client's preface, the settings) are in the output at once.
  ///
  /// Errors: `failed`, when there is no memory.
  package init(role: HTTP2Role, settings: HTTP2Settings) throws(HTTP2Error) {
    var settings = settings
    if role == .client {
      // Requests are this side's own; no peer makes them wait in numbers.
      settings.waitingBytesHighWater = .max
      settings.waitingBytesMax = .max
    }
    self.role = role
    self.settings = settings
    reader = HTTP2HeadReader(settings)
    flood = HTTP2FloodGuard(settings.flood)
    scanner = HTTP2FrameScanner(
      prefaceBytes: role == .server ? HTTP2Preface.text.utf8CodeUnitCount : 0)
    // SAFETY: the library keeps the plain pointer to this object for its callbacks, which run
    // only inside calls made by methods of this object; deinit deletes the library's session.
    let callbacks = unsafe HTTP2Callbacks.shared
    guard let options = unsafe Self.makeOptions(settings) else {
      throw .failed(reason: "there is no memory")
    }
    defer { unsafe nghttp2_option_del(options) }
    var made: OpaquePointer?
    let code =
      role == .server
      ? unsafe nghttp2_session_server_new2(&made, callbacks, nil, options)
      : unsafe nghttp2_session_client_new2(&made, callbacks, nil, options)
    guard code == 0, let made = unsafe made else { throw Self.error(code) }
    unsafe raw = made
    unsafe nghttp2_session_set_user_data(raw, Unmanaged.passUnretained(self).toOpaque())
    try submitSettings()
  }

  deinit {
    for stream in streams { stream.session = nil }
    // SAFETY: the only owner; no callback runs after this.
    unsafe nghttp2_session_del(raw)
  }

  // MARK: Bytes

  /// Takes bytes from the peer; the delegate and the handlers hear of them before this returns.
  ///
  /// What breaks the protocol in a way the peer can be told of is answered by the session itself
  /// (RST_STREAM or GOAWAY in the output). Bytes with more than `headsMax` HEADERS are kept in
  /// part, for `readOn`. Errors: `badPreface`, `flooded`, `failed`: close the connection, after
  /// sending the output.
  package func receive(
    _ bytes: Span<UInt8>, at now: MonotonicInstant, headsMax: Int = .max
  ) throws(HTTP2Error) {
    if let failure { throw failure }
    guard !isCutOff, unreadOffence == nil, !bytes.isEmpty, !isInsideLibrary else { return }
    flood.advance(to: now)
    self.now = now
    let verdict = judge(bytes, headsMax: headsMax)
    // The last GOAWAY tells a flooding client that none of these frames was processed.
    if verdict.offence == .enhanceYourCalm { return cutOff(.enhanceYourCalm) }
    if unread.isEmpty, verdict.pauses.isEmpty {
      try read(bytes.extracting(0..<verdict.end))
      if let code = verdict.offence { cutOff(code) }
      return
    }
    var start = 0
    for end in verdict.pauses + [verdict.end] where end > start {
      var piece: [UInt8] = []
      piece.append(copying: bytes.extracting(start..<end))
      unread.append(piece)
      start = end
    }
    unreadOffence = verdict.offence
    try readOn(at: now)
  }

  /// Whether a part of the bytes received waits for `readOn`.
  package var hasUnread: Bool { !unread.isEmpty }

  /// Has the library read the next part of what `receive` kept. Errors: those of `receive`.
  package func readOn(at now: MonotonicInstant) throws(HTTP2Error) {
    if let failure { throw failure }
    guard hasUnread, !isInsideLibrary else { return }
    self.now = now
    let piece = unread.removeFirst()
    try read(piece.span)
    if unread.isEmpty, let code = unreadOffence { cutOff(code) }
  }

  /// Has the library read the bytes.
  private func read(_ bytes: Span<UInt8>) throws(HTTP2Error) {
    guard !bytes.isEmpty else { return }
    isInsideLibrary = true
    // SAFETY: the library reads the bytes during the call only.
    let taken = unsafe bytes.withUnsafeBufferPointer { buffer in
      unsafe nghttp2_session_mem_recv(raw, buffer.baseAddress, buffer.count)
    }
    isInsideLibrary = false
    if taken < 0 { throw fail(Int32(taken)) }
  }

  /// Appends bytes for the peer to `output`: about `limit` of them, at most one frame (16 KiB)
  /// more. Returns true if more are ready.
  ///
  /// Handlers of drained streams are called before this returns.
  @discardableResult
  package func pullOutput(into output: inout [UInt8], limit: Int = 256 * 1024) -> Bool {
    guard !isInsideLibrary, failure == nil else { return false }
    isInsideLibrary = true
    swap(&output, &self.output)
    outputBytesMax = self.output.count + limit
    while self.output.count < outputBytesMax {
      var block: UnsafePointer<UInt8>?
      // SAFETY: the block belongs to the library until the next call and is copied before.
      let count = unsafe nghttp2_session_mem_send(raw, &block)
      if count < 0 { _ = fail(Int32(count)) }
      guard count > 0 else { break }
      unsafe self.output.append(contentsOf: UnsafeBufferPointer(start: block, count: count))
    }
    swap(&output, &self.output)
    isInsideLibrary = false
    if !drained.isEmpty {
      let streams = drained
      drained.removeAll(keepingCapacity: true)
      for stream in streams where stream.isOpen { stream.handler?.drained(stream) }
    }
    return hasOutput
  }

  /// Whether `pullOutput` has output now.
  package var hasOutput: Bool {
    // SAFETY: the session is valid until deinit.
    unsafe failure == nil && nghttp2_session_want_write(raw) != 0
  }

  /// Whether there is nothing left to read or write: close the connection.
  package var isFinished: Bool {
    // SAFETY: the session is valid until deinit.
    unsafe failure != nil || (nghttp2_session_want_read(raw) == 0 && !hasOutput)
  }

  /// The connection is gone: closes all streams, whose handlers hear of it, and the session.
  package func connectionLost() {
    unread = []
    if failure == nil { failure = .failed(reason: "the connection was lost") }
    while let stream = streams.last {
      stream.close(closure(of: stream, .connectionLost))
    }
  }

  // MARK: Streams

  /// Streams that are open, or that wait for the peer to allow one more.
  package var streamCount: Int { streams.count }

  /// Streams the peer allows this side at the same time.
  package var peerStreamsMax: Int {
    // SAFETY: the session is valid until deinit.
    Int(
      unsafe nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
  }

  /// Whether a client may send one more request (over `peerStreamsMax` it would wait here).
  package var acceptsRequests: Bool {
    // SAFETY: the session is valid until deinit.
    unsafe failure == nil && !isCutOff && nghttp2_session_check_request_allowed(raw) != 0
  }

  /// Sends a client's request; without `endStream` the body follows on the stream returned.
  ///
  /// Errors: `goingAway`, `streamsExhausted`, `failed`.
  package func send(
    _ head: RequestHead, endStream: Bool, handler: any HTTP2StreamHandler
  ) throws(HTTP2Error) -> HTTP2Stream {
    guard acceptsRequests else { throw failure ?? .goingAway }
    let stream = HTTP2Stream(id: 0, session: self)
    // SAFETY: the library copies the lines; the pointers to the stream are valid until it is
    // forgotten, which is when the library closes it.
    let id = unsafe writer.withLines(of: head) { lines, count in
      unsafe HTTP2Callbacks.withBodyProvider(stream, isEmpty: endStream) { provider in
        unsafe nghttp2_submit_request(
          raw, nil, lines, count, provider, Unmanaged.passUnretained(stream).toOpaque())
      }
    }
    guard id > 0 else {
      stream.session = nil
      throw Self.error(id)
    }
    stream.id = id
    stream.handler = handler
    stream.begin(length: head.contentLength, endStream: endStream)
    remember(stream)
    return stream
  }

  // MARK: The connection

  /// Asks the peer to stop opening streams, without refusing those under way to here: a server
  /// calls this first, and `shutDown` a round trip (or a second) later.
  package func announceShutDown() {
    // SAFETY: the session is valid until deinit; a client has no notice to send.
    if role == .server { unsafe nghttp2_submit_shutdown_notice(raw) }
  }

  /// Refuses new streams; those that are open are finished, and then the session is.
  package func shutDown() {
    // SAFETY: the session is valid until deinit.
    let latest = unsafe nghttp2_session_get_last_proc_stream_id(raw)
    unsafe nghttp2_submit_goaway(
      raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), latest, HTTP2ErrorCode.noError.rawValue, nil, 0)
  }

  /// Ends the connection at once, telling the peer why; all its bytes are ignored from now on.
  package func cutOff(_ code: HTTP2ErrorCode) {
    guard !isCutOff else { return }
    isCutOff = true
    unread = []
    // SAFETY: the session is valid until deinit.
    unsafe nghttp2_session_terminate_session(raw, code.rawValue)
  }

  /// Whether the peer sent more than the limits for floods allow.
  package var isFlooded: Bool { flood.isExceeded }

  /// Asks the peer for a sign of life, which the delegate hears of.
  package func ping(_ payload: UInt64) {
    // SAFETY: the library copies the eight bytes.
    unsafe withUnsafeBytes(of: payload.bigEndian) { bytes in
      _ = unsafe nghttp2_submit_ping(
        raw, UInt8(NGHTTP2_FLAG_NONE.rawValue),
        bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    }
  }
}

// MARK: - For streams

extension HTTP2Session {
  /// Lets the peer send `count` bytes more, on the stream if it is still to receive.
  func returnCredit(of stream: HTTP2Stream?, _ count: Int) {
    guard count > 0, failure == nil else { return }
    // SAFETY: the session is valid until deinit; each byte received is returned once.
    if let stream { unsafe nghttp2_session_consume_stream(raw, stream.id, count) }
    if settings.waitingBytesHoldConnectionCredit {
      unsafe nghttp2_session_consume_connection(raw, count)
    }
  }

  /// Whether so much waits that a stream may add only a little to nothing of its own.
  var isCrowded: Bool { waitingBytes > settings.waitingBytesHighWater }

  func remember(_ stream: HTTP2Stream) {
    stream.slot = streams.count
    streams.append(stream)
  }

  func forget(_ stream: HTTP2Stream) {
    guard stream.slot < streams.count, streams[stream.slot] === stream else { return }
    let last = streams.removeLast()
    if last !== stream {
      streams[stream.slot] = last
      last.slot = stream.slot
    }
  }
}

// MARK: - Set-up and failure

extension HTTP2Session {
  private static func makeOptions(_ settings: HTTP2Settings) -> OpaquePointer? {
    var made: OpaquePointer?
    // SAFETY: the options are the caller's to delete.
    guard unsafe nghttp2_option_new(&made) == 0, let options = unsafe made else { return nil }
    unsafe nghttp2_option_set_no_auto_window_update(options, 1)
    unsafe nghttp2_option_set_no_closed_streams(options, 1)
    unsafe nghttp2_option_set_peer_max_concurrent_streams(options, settings.assumedPeerStreamsMax)
    unsafe nghttp2_option_set_max_outbound_ack(options, 128)
    unsafe nghttp2_option_set_max_settings(options, 16)
    // The flood guard counts resets with the caller's clock; the library's own count, which runs
    // on the system's, must not come first.
    unsafe nghttp2_option_set_stream_reset_rate_limit(options, 1_000_000, 1_000_000)
    return unsafe options
  }

  private func submitSettings() throws(HTTP2Error) {
    var entries: [(nghttp2_settings_id, UInt32)] = [
      (NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, UInt32(settings.streamWindow)),
      (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(settings.headBytesMax)),
    ]
    entries.append(
      role == .server
        ? (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, settings.streamsMax)
        : (NGHTTP2_SETTINGS_ENABLE_PUSH, 0))
    let table = entries.map { nghttp2_settings_entry(settings_id: Int32($0.rawValue), value: $1) }
    // SAFETY: the library copies the entries.
    let code = unsafe nghttp2_submit_settings(
      raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), table, table.count)
    guard code == 0 else { throw Self.error(code) }
    unsafe nghttp2_session_set_local_window_size(
      raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, settings.connectionWindow)
  }

  private func fail(_ code: Int32) -> HTTP2Error {
    let error = Self.error(code)
    failure = failure ?? error
    return error
  }

  private static func error(_ code: Int32) -> HTTP2Error {
    switch nghttp2_error(rawValue: code) {
    case NGHTTP2_ERR_BAD_CLIENT_MAGIC: return .badPreface
    case NGHTTP2_ERR_FLOODED: return .flooded
    case NGHTTP2_ERR_STREAM_ID_NOT_AVAILABLE: return .streamsExhausted
    default:
      // SAFETY: the answer is a static string that ends in a zero byte.
      guard let text = unsafe nghttp2_strerror(code) else { return .failed(reason: "\(code)") }
      return .failed(reason: unsafe String(cString: text))
    }
  }
}
