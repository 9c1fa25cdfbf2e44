// SAFETY of the whole file: a transfer is used only on its poster's thread. The object creates and
// frees the handle and the list, and outlives the transfer; libcurl copies the texts passed to it.
import CCurl

/// One call in progress.
@safe final class CallbackTransfer {
  private let handle: OpaquePointer
  private let headers: TextList
  private let names: TextList
  private let addresses: CallbackAddresses
  private let isEncrypted: Bool
  private let bodyBytesMax: Int
  private var body: [UInt8] = []
  private var headBytes = 0
  private var isCut = false
  private var isRefused = false

  /// libcurl must be initialised once before any other call (curl_global_init(3)).
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  /// Prepares a call with DNS overrides; nil if memory is exhausted.
  init?(_ call: CallbackCall, _ settings: CallbackPoster.Settings, names: [String]) {
    guard Self.isReady, let headers = TextList(call.headers), let names = TextList(names),
      let handle = unsafe curl_easy_init()
    else { return nil }
    unsafe self.handle = OpaquePointer(handle)
    self.headers = headers
    self.names = names
    addresses = settings.addresses
    isEncrypted = call.url.isEncrypted
    bodyBytesMax = settings.answerBytesMax
    guard prepare(call, settings) else { return nil }
  }

  deinit { unsafe curl_easy_cleanup(UnsafeMutableRawPointer(handle)) }

  /// The handle by which libcurl identifies the transfer.
  var pointer: UnsafeMutableRawPointer { unsafe UnsafeMutableRawPointer(handle) }

  /// The key by which the poster identifies the transfer.
  var key: UInt { unsafe UInt(bitPattern: handle) }

  private func prepare(_ call: CallbackCall, _ settings: CallbackPoster.Settings) -> Bool {
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    var isSet = set(CURLOPT_URL, call.url.text) && set(CURLOPT_PROTOCOLS_STR, "http,https")
    isSet = isSet && set(CURLOPT_PROXY, "") && set(CURLOPT_FOLLOWLOCATION, 0)
    isSet = isSet && set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    isSet = isSet && set(CURLOPT_NOSIGNAL, 1)
    // Every new connection resolves the name again. A reused connection goes to an address that was
    // already checked, for the same scheme, host and port.
    isSet = isSet && set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
    isSet = isSet && set(CURLOPT_MAXAGE_CONN, settings.idleSeconds)
    isSet = isSet && set(CURLOPT_MAXLIFETIME_CONN, settings.connectionSeconds)
    isSet = isSet && set(CURLOPT_CONNECTTIMEOUT_MS, settings.connectMilliseconds)
    isSet = isSet && set(CURLOPT_TIMEOUT_MS, settings.callMilliseconds)
    if let path = settings.authoritiesPath { isSet = isSet && set(CURLOPT_CAINFO, path) }
    if let body = call.body { isSet = isSet && set(CURLOPT_POST, 1) && setBody(body) }
    guard isSet else { return false }
    let codes = unsafe [
      ccurl_set_list(pointer, CURLOPT_HTTPHEADER, headers.first),
      ccurl_set_list(pointer, CURLOPT_RESOLVE, names.first),
      ccurl_set_receivers(pointer, takeBody, takeHead, context),
      ccurl_set_door(pointer, openSocket, context),
    ]
    return codes.allSatisfy { $0 == CURLE_OK }
  }

  private func setBody(_ body: [UInt8]) -> Bool {
    unsafe body.withUnsafeBytes { body in
      unsafe ccurl_set_body(
        pointer, body.baseAddress?.assumingMemoryBound(to: CChar.self), body.count) == CURLE_OK
    }
  }

  private func set(_ option: CURLoption, _ value: String) -> Bool {
    unsafe ccurl_set_text(pointer, option, value) == CURLE_OK
  }

  private func set(_ option: CURLoption, _ value: Int) -> Bool {
    unsafe ccurl_set_number(pointer, option, value) == CURLE_OK
  }

  /// The outcome for libcurl's result code.
  func outcome(_ code: CURLcode) -> CallbackOutcome {
    let status = unsafe ccurl_response_code(pointer)
    if status >= 200, code == CURLE_OK || isCut {
      let retryAfter = unsafe ccurl_retry_after(pointer)
      return .answered(status: status, body: body, retryAfter: max(0, retryAfter))
    }
    if isRefused { return .failed(.address) }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_URL_MALFORMAT: return .failed(.name)
    case CURLE_COULDNT_CONNECT: return .failed(.connection)
    case CURLE_OPERATION_TIMEDOUT: return .failed(.time)
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CACERT_BADFILE,
      CURLE_SSL_CERTPROBLEM, CURLE_SSL_CIPHER:
      return .failed(.certificate)
    default: return .failed(.answer)
    }
  }

  /// Stores a piece of the answer; false if the rest is not needed.
  fileprivate func receive(_ piece: UnsafeRawBufferPointer) -> Bool {
    let room = bodyBytesMax - body.count
    unsafe body.append(contentsOf: piece.prefix(room))
    isCut = piece.count > room
    return !isCut
  }

  /// Counts the bytes of the answer's head; false if it is too long.
  fileprivate func receiveHead(_ count: Int) -> Bool {
    headBytes += count
    return headBytes <= CallbackPoster.answerBytesMax
  }

  /// Whether libcurl may open a connection. It checks the address that libcurl actually connects
  /// to, whichever name and DNS answer led there.
  fileprivate func admit(_ address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
    var bytes = [UInt8](repeating: 0, count: 16)
    let count = unsafe bytes.withUnsafeMutableBufferPointer { buffer in
      unsafe ccurl_address(address, buffer.baseAddress)
    }
    let isAdmitted = addresses.admit(Array(bytes.prefix(Int(count))), isEncrypted: isEncrypted)
    isRefused = !isAdmitted
    return isAdmitted
  }
}

private func transfer(_ context: UnsafeMutableRawPointer) -> CallbackTransfer {
  unsafe Unmanaged<CallbackTransfer>.fromOpaque(context).takeUnretainedValue()
}

private func takeBody(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context = unsafe context else { return 0 }
  let piece = unsafe UnsafeRawBufferPointer(start: bytes, count: size * count)
  return unsafe transfer(context).receive(piece) ? size * count : 0
}

private func takeHead(
  _ bytes: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let context = unsafe context else { return 0 }
  return unsafe transfer(context).receiveHead(size * count) ? size * count : 0
}

private func openSocket(
  _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
  _ address: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
  guard let context = unsafe context, let address = unsafe address,
    unsafe transfer(context).admit(address)
  else { return -1 }
  return unsafe ccurl_open(address)
}
