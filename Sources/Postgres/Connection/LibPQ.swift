import CPostgres

/// A libpq connection: wraps every call that sends, receives or connects.
///
/// It knows neither the loop nor statements. No method blocks; the connection is closed when the
/// object is deallocated.
// SAFETY: the pointer comes from PQconnectStartParams, is never nil, is owned by this object, and
// is freed only in `deinit`. Arrays passed to libpq outlive the calls, because libpq copies what it
// queues before it returns.
@safe final class LibPQ {
  private let connection: OpaquePointer
  private var values: [UnsafePointer<CChar>?] = unsafe []
  private var formats: [Int32] = []
  private var onNotice: (ServerError) -> Void

  /// Starts connecting; nil if memory is exhausted.
  ///
  /// The last of several values with the same name wins; `dbname` may be a whole connection URL.
  init?(parameters: [(name: String, value: String)], onNotice: @escaping (ServerError) -> Void) {
    self.onNotice = onNotice
    let connection = unsafe withCStrings(parameters.map(\.name)) { names in
      unsafe withCStrings(parameters.map(\.value)) { values in
        unsafe PQconnectStartParams(names, values, 1)
      }
    }
    guard let connection = unsafe connection else { return nil }
    unsafe self.connection = connection
    // SAFETY: the receiver is called only during calls on this object, which is alive then.
    _ = unsafe PQsetNoticeReceiver(
      connection,
      { context, notice in
        guard let context = unsafe context, let notice = unsafe notice else { return }
        unsafe Unmanaged<LibPQ>.fromOpaque(context).takeUnretainedValue().received(notice)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  deinit { unsafe PQfinish(connection) }

  private func received(_ notice: OpaquePointer) {
    // SAFETY: libpq frees the notice after this call, so the fields are copied here.
    func field(_ letter: Unicode.Scalar) -> String {
      guard let text = unsafe PQresultErrorField(notice, Int32(letter.value)) else { return "" }
      return unsafe String(cString: text)
    }
    onNotice(ServerError(sqlState: field("C"), severity: field("V")))
  }

  /// The state of connecting.
  enum Progress { case reading, writing, connected, failed }

  /// Continues connecting.
  func poll() -> Progress {
    switch unsafe PQconnectPoll(connection) {
    case PGRES_POLLING_OK: .connected
    case PGRES_POLLING_READING: .reading
    case PGRES_POLLING_WRITING: .writing
    default: .failed
    }
  }

  /// The socket; it may change while connecting. -1 if there is none.
  var socket: Int32 { unsafe PQsocket(connection) }

  /// Whether the connection is broken.
  var isBroken: Bool { unsafe PQstatus(connection) == CONNECTION_BAD }

  /// The reason why connecting failed: hosts, users and causes, on one line of at most 300
  /// characters.
  var failure: String {
    guard let text = unsafe PQerrorMessage(connection) else { return "" }
    let line = unsafe String(cString: text).split(whereSeparator: \.isNewline)
    return String(line.joined(separator: " ").prefix(300))
  }

  /// Switches the established connection to non-blocking pipeline mode.
  func enterPipeline() -> Bool {
    unsafe PQsetnonblocking(connection, 1) == 0 && PQenterPipelineMode(connection) == 1
  }

  /// Queues the preparation of a statement.
  func sendPrepare(_ name: [CChar], text: String, types: [UInt32]) -> Bool {
    unsafe text.withCString { text in
      unsafe PQsendPrepare(connection, name, text, Int32(types.count), types) == 1
    }
  }

  /// Queues the execution of a prepared statement, parameters and results in binary format.
  func sendExecute(_ name: [CChar], _ parameters: borrowing Parameters) -> Bool {
    let count = parameters.offsets.count
    while formats.count < count { formats.append(1) }
    return unsafe parameters.bytes.withUnsafeBufferPointer { bytes in
      unsafe values.removeAll(keepingCapacity: true)
      for offset in parameters.offsets {
        guard let offset else {
          unsafe values.append(nil)
          continue
        }
        let address = unsafe UnsafeRawPointer(bytes.baseAddress)?.advanced(by: offset)
        unsafe values.append(address?.assumingMemoryBound(to: CChar.self))
      }
      return unsafe PQsendQueryPrepared(
        connection, name, Int32(count), values, parameters.lengths, formats, 1) == 1
    }
  }

  /// Queues a Sync and sends as much as the socket accepts.
  func sync() -> Bool { unsafe PQpipelineSync(connection) == 1 }

  /// The state of sending.
  enum Flush { case done, blocked, failed }

  /// Sends as much of the queue as the socket accepts.
  func flush() -> Flush {
    switch unsafe PQflush(connection) {
    case 0: .done
    case 1: .blocked
    default: .failed
    }
  }

  /// Reads some of the available input; false if the connection is lost.
  func consume() -> Bool { unsafe PQconsumeInput(connection) == 1 }

  /// Whether asking for the next result would block.
  var isBusy: Bool { unsafe PQisBusy(connection) == 1 }

  /// Whether the socket may have unread bytes left after `consume`.
  var hasUnreadInput: Bool {
    postgres_unread_bytes(socket) > 0
  }

  /// Whether TLS is on; it may then buffer bytes that the socket no longer shows.
  var isEncrypted: Bool { unsafe PQsslInUse(connection) == 1 }

  /// The next result, nil at the end of a command; never called while busy.
  func nextResult() -> QueryResult? {
    guard let result = unsafe PQgetResult(connection) else { return nil }
    return unsafe QueryResult(owning: result)
  }

  /// Whether no transaction is open.
  var isOutsideTransaction: Bool { unsafe PQtransactionStatus(connection) == PQTRANS_IDLE }

  /// Consumes the received notifications and returns their texts.
  func takeNotifications() -> [String] {
    var texts: [String] = []
    while let notification = unsafe PQnotifies(connection) {
      unsafe texts.append(String(cString: notification.pointee.extra))
      unsafe PQfreemem(notification)
    }
    return texts
  }

  /// A handle for cancelling the running statement from another thread; nil if not connected.
  func cancellation() -> Cancellation? {
    guard let handle = unsafe PQgetCancel(connection) else { return nil }
    return unsafe Cancellation(owning: handle)
  }
}

/// The address and secret for cancelling a statement independently of its connection.
// SAFETY: the handle is immutable, PQcancel may be called from any thread (manual, chapter 34.7),
// and the handle is freed only in `deinit`.
@safe final class Cancellation: @unchecked Sendable {
  private let handle: OpaquePointer

  @unsafe init(owning handle: OpaquePointer) { unsafe self.handle = handle }

  deinit { unsafe PQfreeCancel(handle) }

  /// Asks the server to cancel the connection's running statement. Opens a new connection, so it
  /// blocks.
  func send() {
    var reason = [CChar](repeating: 0, count: 256)
    _ = unsafe PQcancel(handle, &reason, 256)
  }
}

/// Passes the texts to `body` as a NULL-terminated array of C strings.
func withCStrings<Result>(
  _ texts: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
) -> Result {
  var bytes: [CChar] = []
  let offsets = texts.map { text in
    let offset = bytes.count
    bytes.append(contentsOf: text.utf8.map { CChar(bitPattern: $0) })
    bytes.append(0)
    return offset
  }
  // SAFETY: the pointers point into `bytes`, which is not changed and outlives `body`.
  return unsafe bytes.withUnsafeBufferPointer { bytes in
    var pointers = unsafe offsets.map { offset -> UnsafePointer<CChar>? in
      unsafe bytes.baseAddress?.advanced(by: offset)
    }
    unsafe pointers.append(nil)
    return unsafe pointers.withUnsafeBufferPointer { pointers in
      guard let start = pointers.baseAddress else { preconditionFailure("ends with NULL") }
      return unsafe body(start)
    }
  }
}
