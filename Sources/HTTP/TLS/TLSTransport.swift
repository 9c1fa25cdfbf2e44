import COpenSSL

/// OpenSSL's way to the peer: it reads ciphertext where the caller holds it and appends what it
/// sends to one buffer.
///
/// A pair of memory BIOs would copy every byte once more in each direction and keep two more
/// buffers for each connection.
@safe final class TLSTransport {
  /// Ciphertext not yet taken by OpenSSL; points into the caller's bytes and is empty whenever
  /// the session is not inside `receive`.
  // SAFETY: `reading` sets and forgets it; an empty one points nowhere.
  fileprivate var input = unsafe UnsafeRawBufferPointer(start: nil, count: 0)
  /// Ciphertext for the peer.
  var output: [UInt8] = []

  /// Runs `work` while OpenSSL may read `bytes`; what it leaves is lost, so drain it.
  func reading<Result, Failure: Error>(
    _ bytes: Span<UInt8>, _ work: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    do {
      // SAFETY: the pointer is forgotten before the span's storage can go away.
      return try unsafe bytes.withUnsafeBytes { pointer throws(Failure) -> Result in
        unsafe input = pointer
        defer { unsafe input = UnsafeRawBufferPointer(start: nil, count: 0) }
        return try work()
      }
    }
  }

  /// A BIO that reads and writes here; it must be freed before this transport.
  func makeBIO() -> OpaquePointer? {
    // SAFETY: the method table is never freed; the BIO holds this object without a reference,
    // and TLSSession, which owns both, frees the BIO first.
    guard let method = unsafe Self.method, let bio = unsafe BIO_new(method) else { return nil }
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    unsafe BIO_set_init(bio, 1)
    return unsafe bio
  }

  // SAFETY: made once, before first use, and only read from then on.
  private nonisolated(unsafe) static let method: OpaquePointer? = unsafe makeMethod()

  private static func makeMethod() -> OpaquePointer? {
    // SAFETY: plain calls with function pointers that live as long as the process.
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
    // SAFETY: OpenSSL passes `room` writable bytes at `target` and a valid `taken`; `input`
    // covers the caller's bytes for as long as `reading` runs, and no more than it holds is read.
    unsafe copenssl_bio_clear_retry(bio)
    guard let transport = unsafe transport(of: bio), let target = unsafe target else { return 0 }
    let count = unsafe min(room, transport.input.count)
    guard count > 0, let source = unsafe transport.input.baseAddress else {
      unsafe copenssl_bio_retry_read(bio)
      return 0
    }
    // SAFETY: as above; `count` is the smaller of both sizes.
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
