import Cryptography
import Gateway
import HTTP
import PublicAPI

private let authority = TokenAuthority(root: .random())
private let login = authority.issue(.session)
private let device = authority.issue(.device)
private let cookiePrefix = Array("\(SessionCookie.name)=".utf8)

/// Any bytes as the fields of a browser: the gateway finds the cookies that a slow reader finds,
/// also in a divided field, takes a single token of a login only, and accepts no other origin.
///
/// The first two bytes select an endpoint and the transport. Each line is a field: its first byte
/// is `c` for a cookie, `s` for `Sec-Fetch-Site` or `o` for an origin; `$` is the token of a login,
/// and `%` one of a device.
package func fuzzCookie(_ bytes: [UInt8]) {
  guard bytes.count > 2 else { return }
  let endpoints = PublicAPI.endpoints
  let endpoint = endpoints[(Int(bytes[0]) + 256 * Int(bytes[1] >> 4)) % endpoints.count]
  let isSecure = bytes[1] & 1 == 1
  let head = browserHead(bytes.dropFirst(2))
  checkValues(of: head.fields)
  checkToken(of: head)
  checkOrigin(of: head, for: endpoint, isSecure: isSecure)
  var isAccepted = true
  do throws(Problem) {
    try CookiePhase.checkTransport(of: endpoint, isSecure: isSecure)
  } catch {
    isAccepted = false
  }
  precondition(isAccepted == isSecure, "a cookie counts without TLS")
}

/// The head with the fields of these lines.
private func browserHead(_ lines: ArraySlice<UInt8>) -> RequestHead {
  var head = RequestHead(.post, "/", authority: "trackme.example")
  let site = Array("sec-fetch-site".utf8)
  for line in lines.split(separator: 0x0A) {
    guard let kind = line.first else { continue }
    let value = line.dropFirst().flatMap { byte -> [UInt8] in
      switch byte {
      case UInt8(ascii: "$"): Array(login.text.utf8)
      case UInt8(ascii: "%"): Array(device.text.utf8)
      default: [byte]
      }
    }
    switch kind {
    case UInt8(ascii: "c"): head.fields.append(.cookie, copying: value.span)
    case UInt8(ascii: "s"): head.fields.append(name: site.span, value: value.span)
    case UInt8(ascii: "o"): head.fields.append(.origin, copying: value.span)
    default: break
    }
  }
  return head
}

/// The values are those of a slow reader, and the same in one field and in one field for each.
private func checkValues(of fields: HTTPFields) {
  let values = SessionCookie.values(in: fields)
  precondition(values == slowValues(in: fields), "the reader and the reference disagree")
  var joined: [UInt8] = []
  fields.forEach(named: .cookie) { value in
    if !joined.isEmpty { joined += Array("; ".utf8) }
    joined += Array(copying: value)
  }
  var whole = HTTPFields()
  whole.append(.cookie, copying: joined.span)
  precondition(SessionCookie.values(in: whole) == values, "joining the fields matters")
  var divided = HTTPFields()
  for part in joined.split(separator: UInt8(ascii: ";")) {
    let pair = Array(part)
    divided.append(.cookie, copying: pair.span)
  }
  precondition(SessionCookie.values(in: divided) == values, "the division into fields matters")
}

private func slowValues(in fields: HTTPFields) -> [[UInt8]] {
  var values: [[UInt8]] = []
  fields.forEach(named: .cookie) { field in
    var start = 0
    for end in 0...field.count where end == field.count || field[end] == UInt8(ascii: ";") {
      var first = start
      var last = end
      while first < last, isBlank(field[first]) { first += 1 }
      while last > first, isBlank(field[last - 1]) { last -= 1 }
      let pair = Array(copying: field.extracting(first..<last))
      if pair.starts(with: cookiePrefix) {
        values.append(Array(pair.dropFirst(cookiePrefix.count)))
      }
      start = end + 1
    }
  }
  return values
}

private func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

/// A single cookie without another token is taken, and is genuine if it is the token of a login.
private func checkToken(of head: RequestHead) {
  let values = SessionCookie.values(in: head.fields)
  for other in [IdentifyPhase.Presented.nothing, .wrong] {
    var taken: [UInt8]?
    var isRefused = false
    do throws(Problem) {
      taken = try CookiePhase.token(of: head, besides: other)
    } catch {
      isRefused = true
    }
    let isAmbiguous = values.count > 1 || (values.count == 1 && other != .nothing)
    precondition(isRefused == isAmbiguous, "an ambiguous token")
    precondition(taken == (isRefused ? nil : values.first), "another token")
  }
  let tokens = VerifiedTokens(authority)
  for value in values {
    let isLogin = value.elementsEqual(login.text.utf8)
    let expected = isLogin ? IdentifyPhase.Presented.genuine(login.hash) : .wrong
    // The second time the token is found among those that were verified.
    for _ in 0..<2 {
      precondition(CookiePhase.judge(value, tokens) == expected, "another verdict")
    }
  }
}

/// A call with the cookie over TLS, and a login, are refused unless they come from the own pages;
/// a program or a person may log in, and read.
private func checkOrigin(of head: RequestHead, for endpoint: Endpoint, isSecure: Bool) {
  var isAccepted = true
  do throws(Problem) {
    try CookiePhase.checkOrigin(of: head, for: endpoint, isSecure: isSecure)
  } catch {
    precondition(error.status == .forbidden, "another status")
    isAccepted = false
  }
  let hasCookie = !SessionCookie.values(in: head.fields).isEmpty
  let isCall = isSecure && hasCookie && endpoint.caller != .anyone
  var isOwn = false
  var isDirect = false
  if let site = head.fields["sec-fetch-site"] {
    isOwn = site == "same-origin"
    isDirect = site == "none"
  } else if let origin = head.fields[.origin] {
    isOwn = origin.lowercased() == "\(isSecure ? "https" : "http")://trackme.example"
  } else {
    isDirect = true
  }
  let needsOwn = isCall && endpoint.changesState
  let isExpected =
    (!isCall && !endpoint.opensSession) || isOwn || (isDirect && !needsOwn)
  precondition(isAccepted == isExpected, "the origin and the reference disagree")
}
