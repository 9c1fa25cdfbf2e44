// SAFETY of the whole file: a conversation exists within one call on one thread. The object creates
// and frees the handle; libcurl copies the texts passed to it; the reader's context and the list of
// recipients outlive `curl_easy_perform`, which alone uses them.
import CCurl
import EventLoop
import Operations
import Time

/// One mail's SMTP conversation, from connecting to closing the connection; it blocks.
@safe final class SMTPConversation {
  private let settings: SMTPTransport.Settings
  private let handle: OpaquePointer

  /// libcurl must be initialised once before any other call (curl_global_init(3)).
  private static let isReady = curl_global_init(Int(CURL_GLOBAL_ALL)) == CURLE_OK

  /// - Throws: `temporary` if memory is exhausted.
  init(_ settings: SMTPTransport.Settings) throws(MailError) {
    guard Self.isReady, let handle = unsafe curl_easy_init() else {
      throw Self.failure(CURLE_FAILED_INIT)
    }
    self.settings = settings
    unsafe self.handle = OpaquePointer(handle)
  }

  deinit { unsafe curl_easy_cleanup(UnsafeMutableRawPointer(handle)) }

  /// Sends one mail; `error` maps the server's reply codes. Ends early soon after a revocation,
  /// because libcurl calls the progress function at least once a second.
  func run(_ mail: MailMessage, unless revocation: MailRevocation) throws(MailError) {
    guard !revocation.isMade else { throw .temporary(.calledBack) }
    guard !revocation.isBrokenOff else { throw .temporary(.stopped) }
    let handle = unsafe UnsafeMutableRawPointer(handle)
    let body = OutgoingBody(mail.rendered)
    guard let recipients = unsafe curl_slist_append(nil, "<\(mail.to.text)>") else {
      throw Self.failure(CURLE_OUT_OF_MEMORY)
    }
    defer { unsafe curl_slist_free_all(recipients) }
    try prepare(from: mail.from)
    try Self.check(unsafe ccurl_set_list(handle, CURLOPT_MAIL_RCPT, recipients))
    let context = unsafe Unmanaged.passUnretained(body).toOpaque()
    try Self.check(unsafe ccurl_set_reader(handle, readBody, context))
    let deadline = ConversationDeadline(
      body, revocation, handOverBy: MonotonicClock.now + settings.sendMax)
    try Self.check(
      unsafe ccurl_set_progress(
        handle, askToGoOn, Unmanaged.passUnretained(deadline).toOpaque()))
    let code = withExtendedLifetime((body, deadline)) { unsafe curl_easy_perform(handle) }
    guard code != CURLE_OK else { return }
    if code == CURLE_ABORTED_BY_CALLBACK { throw Self.reason(revocation) }
    let reply = unsafe ccurl_response_code(handle)
    throw Self.error(code, reply: reply, isBodyRead: body.isRead)
  }

  private func prepare(from sender: MailAddress) throws(MailError) {
    let url = settings.url.revealed
    // libcurl takes the EHLO name from the path (CURLOPT_URL(3)), otherwise it is this machine's
    // name.
    let hasPath = url.split(separator: "/").count > 2
    let server = url.hasSuffix("/") ? String(url.dropLast()) : url
    try set(CURLOPT_URL, hasPath ? url : "\(server)/\(sender.domain)")
    try set(CURLOPT_PROTOCOLS_STR, "smtp,smtps")
    try set(CURLOPT_PROXY, "")
    try set(CURLOPT_MAIL_FROM, "<\(sender.text)>")
    if let path = settings.authoritiesPath { try set(CURLOPT_CAINFO, path) }
    let security = SMTPServerName(url).mustEncrypt ? CURLUSESSL_ALL : CURLUSESSL_TRY
    try set(CURLOPT_USE_SSL, Int(security.rawValue))
    try set(CURLOPT_UPLOAD, 1)
    // No signals for timeouts of name look-ups, because other threads would receive them.
    try set(CURLOPT_NOSIGNAL, 1)
    try set(CURLOPT_CONNECTTIMEOUT_MS, settings.connectMax.milliseconds)
    try set(CURLOPT_TIMEOUT_MS, settings.conversationMax.milliseconds)
    // libcurl's own limit for one answer is 120 s.
    try set(CURLOPT_SERVER_RESPONSE_TIMEOUT, settings.conversationMax.milliseconds / 1_000 + 1)
  }

  private func set(_ option: CURLoption, _ value: String) throws(MailError) {
    try Self.check(unsafe ccurl_set_text(UnsafeMutableRawPointer(handle), option, value))
  }

  private func set(_ option: CURLoption, _ value: Int) throws(MailError) {
    try Self.check(unsafe ccurl_set_number(UnsafeMutableRawPointer(handle), option, value))
  }

  private static func check(_ code: CURLcode) throws(MailError) {
    guard code == CURLE_OK else { throw failure(code) }
  }

  private static func failure(_ code: CURLcode) -> MailError {
    .temporary(.transfer(Int(code.rawValue)))
  }

  /// Why this side ended the conversation early.
  private static func reason(_ revocation: MailRevocation) -> MailError {
    if revocation.isMade { return .temporary(.calledBack) }
    return revocation.isBrokenOff ? .temporary(.stopped) : failure(CURLE_OPERATION_TIMEDOUT)
  }

  /// Maps a reply code to an error. A 5xx to the envelope or the text concerns this mail and is
  /// final. A 5xx to the greeting, to STARTTLS or to the password concerns the whole service, and
  /// an operator must correct the configuration.
  static func error(_ code: CURLcode, reply: Int, isBodyRead: Bool) -> MailError {
    // After reply 354 the server received all or nearly all of the text and then did not answer.
    guard reply >= 400 else {
      return isBodyRead ? .temporary(.unanswered) : failure(code)
    }
    let isAboutMail = code == CURLE_SEND_ERROR || (code == CURLE_WEIRD_SERVER_REPLY && isBodyRead)
    return reply >= 500 && isAboutMail ? .permanent(.reply(reply)) : .temporary(.reply(reply))
  }
}

/// The callback by which libcurl reads more of the text.
private func readBody(
  _ buffer: UnsafeMutablePointer<CChar>?, _ size: Int, _ count: Int,
  _ context: UnsafeMutableRawPointer?
) -> Int {
  guard let buffer = unsafe buffer, let context = unsafe context else { return 0 }
  let body = unsafe Unmanaged<OutgoingBody>.fromOpaque(context).takeUnretainedValue()
  let piece = body.next(size * count)
  for (offset, byte) in piece.enumerated() { unsafe buffer[offset] = CChar(bitPattern: byte) }
  return piece.count
}

/// The progress callback, which libcurl calls at least once a second; any result but 0 ends the
/// transfer.
private func askToGoOn(
  _ context: UnsafeMutableRawPointer?, _ toReceive: curl_off_t, _ received: curl_off_t,
  _ toSend: curl_off_t, _ sent: curl_off_t
) -> Int32 {
  guard let context = unsafe context else { return 0 }
  let deadline = unsafe Unmanaged<ConversationDeadline>.fromOpaque(context).takeUnretainedValue()
  return deadline.isOver(at: MonotonicClock.now) ? 1 : 0
}

/// The security requirements that follow from a mail server's URL.
package struct SMTPServerName {
  /// Whether a connection without TLS would expose a password on a network.
  package let mustEncrypt: Bool

  /// Parses the URL of a mail server.
  package init(_ url: String) {
    let authority = url.split(separator: "/", maxSplits: 2).dropFirst().first ?? ""
    let parts = authority.split(separator: "@", maxSplits: 1)
    let host = parts.last.map(String.init)?.lowercased() ?? ""
    let name = host.hasPrefix("[") ? host.prefix { $0 != "]" } : host.prefix { $0 != ":" }
    let numbers = name.split(separator: ".", omittingEmptySubsequences: false)
    let isLoopback =
      numbers.count == 4 && numbers[0] == "127" && numbers.allSatisfy { UInt8($0) != nil }
    let isHere = isLoopback || name == "localhost" || name == "[::1"
    mustEncrypt = parts.count == 2 && !isHere
  }
}

extension Duration {
  fileprivate var milliseconds: Int { Int(wholeNanoseconds / 1_000_000) }
}
