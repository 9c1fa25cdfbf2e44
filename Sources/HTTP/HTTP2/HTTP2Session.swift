import CNghttp2
import Time

/// One side of an HTTP/2 connection as a state machine without I/O (RFC 9113).
///
/// The owner passes received bytes to `receive` and sends the result of `pullOutput` after
/// `receive` or any other call, preferably once per turn for all streams. When `isFinished` is true
/// and the output is sent, it closes the connection. When the connection is lost, it calls
/// `connectionLost`, which also breaks the reference cycles of the session with its streams and its
/// delegate. Belongs to one thread at a time.
@safe package final class HTTP2Session {
  /// The side of the connection.
  package let role: HTTP2Role
  /// The limits and windows granted to the peer.
  package let settings: HTTP2Settings
  /// Receives events until `connectionLost`. Strong: a weak one's counts are in a side table.
  package var delegate: (any HTTP2SessionDelegate)? {
    get { owner }
    set { owner = newValue }
  }

  /// The library's session; valid until deinit.
  let raw: OpaquePointer
  let reader: HTTP2HeadReader
  let writer: HTTP2HeadWriter
  let encoder = HTTP2HeadEncoder()
  /// The head of the response whose empty block the library has just written.
  var headToEncode: ResponseHead?
  var flood: HTTP2FloodGuard
  var scanner: HTTP2FrameScanner
  var states = HTTP2StreamStates()
  /// Streams that the library has not closed, in no particular order.
  private(set) var streams: [HTTP2Stream] = []
  var output: [UInt8] = []
  var outputBytesMax = 0
  var drained: [HTTP2Stream] = []
  /// Bytes of bodies on all streams that wait for the peer's flow-control windows, and those sent
  /// so far.
  package var waitingBytes: Int { waitingCount }
  package var takenBytes: UInt64 { takenCount }
  /// Bytes that streams have reserved for parts of bodies that are in transit.
  var reservedBytes = 0
  private var isInsideLibrary = false
  private var failure: HTTP2Error?

  /// The error code of the last GOAWAY sent, or nil.
  package var sentGoAway: HTTP2ErrorCode? { goAwayCode }
  /// The time of the `receive` in which the current field block began; nil between field blocks.
  /// The owner ends the connection when a head takes too long.
  package var headBegan: MonotonicInstant? { headStart }

  // Not visible to other modules: the compiler then proves exclusive access, instead of checking
  // it. Arrays are moved out while they change, for the same reason.
  var owner: (any HTTP2SessionDelegate)?
  var waitingCount = 0
  var takenCount: UInt64 = 0
  var goAwayCode: HTTP2ErrorCode?
  var headStart: MonotonicInstant?
  private(set) var now = MonotonicInstant.zero
  /// Whether the connection is being terminated, so that further input is ignored.
  private(set) var isCutOff = false
  /// Checked bytes that the library has not read yet, one element per turn.
  private var unread: [[UInt8]] = []
  /// The code for ending the connection once the library has read `unread`.
  private var unreadOffence: HTTP2ErrorCode?

  /// Creates a session with its first bytes (a client's preface, the settings) in the output.
  ///
  /// Errors: `failed` when memory is exhausted.
  package init(role: HTTP2Role, settings: HTTP2Settings) throws(HTTP2Error) {
    var settings = settings
    if role == .client {
      // A client's output is its own requests, which a peer cannot multiply.
      settings.waitingBytesHighWater = .max
      settings.waitingBytesMax = .max
    }
    self.role = role
    self.settings = settings
    reader = HTTP2HeadReader(settings)
    writer = HTTP2HeadWriter(usesTable: role == .client)
    flood = HTTP2FloodGuard(settings.flood)
    scanner = HTTP2FrameScanner(
      prefaceBytes: role == .server ? HTTP2Preface.text.utf8CodeUnitCount : 0)
    // SAFETY: the library keeps the plain pointer to this object for its callbacks, which run
    // only inside calls made by methods of this object; deinit deletes the library's session.
    let callbacks = unsafe HTTP2Callbacks.shared
    guard let options = unsafe Self.makeOptions(settings) else {
      throw .failed(reason: "out of memory")
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
    // SAFETY: this is the only owner; no callback runs afterwards.
    unsafe nghttp2_session_del(raw)
  }

  // MARK: Bytes

  /// Processes bytes from the peer; calls the delegate and the handlers before it returns.
  ///
  /// The session answers protocol violations itself where the protocol allows it (RST_STREAM or
  /// GOAWAY in the output). Bytes after the first `headsMax` HEADERS are kept for `readOn`. Errors:
  /// `badPreface`, `flooded`, `failed`: send the output, then close the connection.
  package func receive(
    _ bytes: Span<UInt8>, at now: MonotonicInstant, headsMax: Int = .max
  ) throws(HTTP2Error) {
    if let failure { throw failure }
    guard !isCutOff, unreadOffence == nil, !bytes.isEmpty, !isInsideLibrary else { return }
    flood.advance(to: now)
    self.now = now
    let verdict = judge(bytes, headsMax: headsMax)
    // The last GOAWAY reports to a flooding client that none of these frames was processed.
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
      unread = unread + [piece]
      start = end
    }
    unreadOffence = verdict.offence
    try readOn(at: now)
  }

  /// Whether received bytes wait for `readOn`.
  package var hasUnread: Bool { !unread.isEmpty }

  /// Passes the next part of the bytes kept by `receive` to the library. Errors: those of
  /// `receive`.
  package func readOn(at now: MonotonicInstant) throws(HTTP2Error) {
    if let failure { throw failure }
    guard hasUnread, !isInsideLibrary else { return }
    self.now = now
    let piece = unread[0]
    unread = Array(unread.dropFirst())
    try read(piece.span)
    if unread.isEmpty, let code = unreadOffence { cutOff(code) }
  }

  /// Passes bytes to the library.
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

  /// Appends bytes for the peer to `output`: about `limit` bytes, at most one frame (16 KiB) more.
  /// Returns whether more output is ready.
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
      // SAFETY: the block belongs to the library until the next call, and is copied before it.
      let count = unsafe nghttp2_session_mem_send(raw, &block)
      if count < 0 { _ = fail(Int32(count)) }
      guard count > 0 else { break }
      var moved: [UInt8] = []
      swap(&moved, &self.output)
      let frame = unsafe UnsafeBufferPointer(start: block, count: count)
      unsafe append(frame: frame.span, to: &moved)
      swap(&moved, &self.output)
    }
    swap(&output, &self.output)
    isInsideLibrary = false
    if !drained.isEmpty {
      let streams = drained
      drained = []
      for stream in streams where stream.isOpen { stream.handler?.drained(stream) }
    }
    return hasOutput
  }

  /// Whether `pullOutput` would return bytes.
  package var hasOutput: Bool {
    // SAFETY: the session is valid until deinit.
    unsafe failure == nil && nghttp2_session_want_write(raw) != 0
  }

  /// Whether the session has nothing left to read or write, so that the connection should be
  /// closed.
  package var isFinished: Bool {
    // SAFETY: the session is valid until deinit.
    unsafe failure != nil || (nghttp2_session_want_read(raw) == 0 && !hasOutput)
  }

  /// The connection is lost: closes all streams, notifies their handlers, and closes the session.
  package func connectionLost() {
    unread = []
    if failure == nil { failure = .failed(reason: "the connection was lost") }
    while let stream = streams.last {
      stream.close(closure(of: stream, .connectionLost))
    }
    owner = nil
  }

  // MARK: Streams

  /// Streams that are open or wait for the peer's limit on streams.
  package var streamCount: Int { streams.count }

  /// Concurrent streams that the peer allows this side.
  package var peerStreamsMax: Int {
    // SAFETY: the session is valid until deinit.
    Int(
      unsafe nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS))
  }

  /// Whether a client may send another request; above `peerStreamsMax` it would wait in the
  /// session.
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
    // SAFETY: the library copies the lines; the pointers to the stream are valid until the library
    // closes it.
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
    stream.number = id
    stream.receiver = handler
    stream.begin(length: head.contentLength, endStream: endStream)
    remember(stream)
    return stream
  }

  // MARK: The connection

  /// Asks the peer to stop opening streams, but still accepts those in transit. A server calls this
  /// first, and `shutDown` a round trip (or a second) later.
  package func announceShutDown() {
    // SAFETY: the session is valid until deinit; a client has no notice to send.
    if role == .server { unsafe nghttp2_submit_shutdown_notice(raw) }
  }

  /// Refuses new streams; the session finishes when all open streams have ended.
  package func shutDown() {
    // SAFETY: the session is valid until deinit.
    let latest = unsafe nghttp2_session_get_last_proc_stream_id(raw)
    unsafe nghttp2_submit_goaway(
      raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), latest, HTTP2ErrorCode.noError.rawValue, nil, 0)
  }

  /// Ends the connection with this code in a GOAWAY; all further input is ignored.
  package func cutOff(_ code: HTTP2ErrorCode) {
    guard !isCutOff else { return }
    isCutOff = true
    unread = []
    // SAFETY: the session is valid until deinit.
    unsafe nghttp2_session_terminate_session(raw, code.rawValue)
  }

  /// Whether the peer exceeded the flood limits.
  package var isFlooded: Bool { flood.isExceeded }

  /// Sends a PING; the delegate receives its acknowledgement.
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
  /// Returns flow-control credit for `count` bytes to the peer, and to the stream if it still
  /// receives.
  func returnCredit(of stream: HTTP2Stream?, _ count: Int) {
    guard count > 0, failure == nil else { return }
    // SAFETY: the session is valid until deinit; each byte received is returned once.
    if let stream { unsafe nghttp2_session_consume_stream(raw, stream.id, count) }
    if settings.waitingBytesHoldConnectionCredit {
      unsafe nghttp2_session_consume_connection(raw, count)
    }
  }

  /// Whether the buffered bytes of all streams exceed their high-water mark.
  var isCrowded: Bool { waitingCount > settings.waitingBytesHighWater }

  func remember(_ stream: HTTP2Stream) {
    stream.slot = streams.count
    var moved: [HTTP2Stream] = []
    swap(&moved, &streams)
    moved.append(stream)
    swap(&moved, &streams)
  }

  func forget(_ stream: HTTP2Stream) {
    guard stream.slot < streams.count, streams[stream.slot] === stream else { return }
    var moved: [HTTP2Stream] = []
    swap(&moved, &streams)
    let last = moved.removeLast()
    if last !== stream {
      moved[stream.slot] = last
      last.slot = stream.slot
    }
    swap(&moved, &streams)
  }
}

// MARK: - Set-up and failure

extension HTTP2Session {
  private static func makeOptions(_ settings: HTTP2Settings) -> OpaquePointer? {
    var made: OpaquePointer?
    // SAFETY: the caller deletes the options.
    guard unsafe nghttp2_option_new(&made) == 0, let options = unsafe made else { return nil }
    unsafe nghttp2_option_set_no_auto_window_update(options, 1)
    unsafe nghttp2_option_set_no_closed_streams(options, 1)
    unsafe nghttp2_option_set_peer_max_concurrent_streams(options, settings.assumedPeerStreamsMax)
    unsafe nghttp2_option_set_max_outbound_ack(options, 128)
    unsafe nghttp2_option_set_max_settings(options, 16)
    // The flood guard counts resets by the caller's clock; the library's own limit uses the
    // system's clock and must not apply first.
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
      // SAFETY: the result is a static, NUL-terminated string.
      guard let text = unsafe nghttp2_strerror(code) else { return .failed(reason: "\(code)") }
      return .failed(reason: unsafe String(cString: text))
    }
  }
}
