import COpenSSL

/// A BIO between OpenSSL and the peer: it reads ciphertext in place from the caller's bytes and
/// appends output to one buffer.
///
/// A pair of memory BIOs would copy every byte once more in each direction and need two more
/// buffers per connection.
@safe final class TLSTransport {
  /// Ciphertext not yet read by OpenSSL; points into the caller's bytes and is empty except during
  /// `receive`.
  // SAFETY: `reading` sets and clears it; when empty, it points nowhere.
  fileprivate var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  /// Whether OpenSSL has not read all ciphertext.
  var hasInput: Bool { unsafe !input.isEmpty }
  /// Ciphertext for the peer.
  var output: [UInt8] = []

  /// Runs `work` while OpenSSL may read `bytes`. Bytes that `work` does not read are lost.
  func reading<Result, Failure: Error>(
    _ bytes: Span<UInt8>, _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do {
      // SAFETY: the pointer is cleared before the span's storage is freed.
      return try unsafe bytes.withUnsafeBytes { pointer throws(Failure) -> Result in
        unsafe input = pointer
        defer { unsafe input = UnsafeRawBufferPointer(start: nil, count: 0) }
        return try work()
      }
    }
  }

  /// Creates a BIO that reads and writes this transport; it must be freed before the transport.
  func makeBIO() -> OpaquePointer? {
    // SAFETY: the method table is never freed; the BIO has an unretained pointer to this object,
    // and TLSSession, which owns both, frees the BIO first.
    guard let method = unsafe Self.method, let bio = unsafe BIO_new(method) else { return nil }
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    unsafe BIO_set_init(bio, 1)
    return unsafe bio
  }

  // SAFETY: created once, before first use, and only read afterwards.
  private nonisolated(unsafe) static let method: OpaquePointer? = unsafe makeMethod()

  private static func makeMethod() -> OpaquePointer? {
    // SAFETY: the function pointers live as long as the process.
    let kind = BIO_get_new_index() | BIO_TYPE_SOURCE_SINK
    guard let method = unsafe BIO_meth_new(kind, "trackme") else { return nil }
    unsafe BIO_meth_set_read_ex(method, readCiphertext)
    unsafe BIO_meth_set_write_ex(method, writeCiphertext)
    unsafe BIO_meth_set_ctrl(method, control)
    return unsafe method
  }
}

private func transport(of bio: OpaquePointer?) -> TLSTransport? {
  // SAFETY: makeBIO stored this pointer, and the transport outlives its BIO.
  guard let data = unsafe BIO_get_data(bio) else { return nil }
  return unsafe Unmanaged<TLSTransport>.fromOpaque(data).takeUnretainedValue()
}

private let readCiphertext:
  @convention(c) (
    OpaquePointer?, UnsafeMutablePointer<CChar>?, Int, UnsafeMutablePointer<Int>?
  ) -> Int32 = { bio, target, room, taken in
    // SAFETY: OpenSSL passes `room` writable bytes at `target` and a valid `taken`; `input` covers
    // the caller's bytes while `reading` runs, and reads stay within it.
    unsafe copenssl_bio_clear_retry(bio)
    guard let transport = unsafe transport(of: bio), let target = unsafe target else { return 0 }
    let count = unsafe min(room, transport.input.count)
    guard count > 0, let source = unsafe transport.input.baseAddress else {
      unsafe copenssl_bio_retry_read(bio)
      return 0
    }
    // SAFETY: see above; `count` is the smaller of both sizes.
    unsafe UnsafeMutableRawPointer(target).copyMemory(from: source, byteCount: count)
    unsafe transport.input = UnsafeRawBufferPointer(rebasing: transport.input[count...])
    unsafe taken?.pointee = count
    return 1
  }

private let writeCiphertext:
  @convention(c) (
    OpaquePointer?, UnsafePointer<CChar>?, Int, UnsafeMutablePointer<Int>?
  ) -> Int32 = { bio, source, count, written in
    // SAFETY: OpenSSL passes `count` readable bytes at `source` and a valid `written`.
    unsafe copenssl_bio_clear_retry(bio)
    guard let transport = unsafe transport(of: bio), let source = unsafe source else { return 0 }
    unsafe transport.output.append(contentsOf: UnsafeRawBufferPointer(start: source, count: count))
    unsafe written?.pointee = count
    return 1
  }

private let control: @convention(c) (OpaquePointer?, Int32, Int, UnsafeMutableRawPointer?) -> Int =
  { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
