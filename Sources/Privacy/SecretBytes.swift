import COpenSSL

/// Bytes that nobody may see: overwritten when released, and never shown by printing.
///
/// The bytes live outside the Swift heap's movable storage, at one address, and are never copied
/// behind the caller's back; what a closure copies out of them is the closure's to protect. They
/// never change after creation, hence sharing between threads is safe.
@safe package final class SecretBytes: @unchecked Sendable {
  /// How many bytes there are.
  package let count: Int
  private let storage: UnsafeMutableRawPointer

  /// Copies the bytes; wiping the source is up to its owner.
  package init(copying bytes: Span<UInt8>) {
    count = bytes.count
    // SAFETY: at least one byte is allocated, all `count` are written before any is read, and only
    // this object, which frees them in deinit, knows the address.
    unsafe storage = UnsafeMutableRawPointer.allocate(
      byteCount: max(1, bytes.count), alignment: 16)
    for index in bytes.indices {
      unsafe storage.storeBytes(of: bytes[index], toByteOffset: index, as: UInt8.self)
    }
  }

  /// Takes the bytes over and wipes the array that brought them, if nobody else holds it.
  package convenience init(consuming bytes: inout [UInt8]) {
    self.init(copying: bytes.span)
    bytes.wipe()
  }

  /// Copies the UTF-8 form of a text, such as a password.
  package convenience init(utf8 text: String) {
    self.init(copying: text.utf8.span)
  }

  deinit {
    // SAFETY: allocated in init with this size and used by nobody once deinit runs.
    unsafe OPENSSL_cleanse(storage, count)
    unsafe storage.deallocate()
  }

  /// Shows the bytes to `body`, and to nobody once it has returned.
  package func withBytes<Result: ~Copyable, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    // SAFETY: the storage holds `count` initialised bytes and lives at least as long as `self`,
    // which the caller holds during the call; a span cannot leave the closure.
    let buffer = unsafe UnsafeRawBufferPointer(start: storage, count: count)
    let pointer = unsafe buffer.assumingMemoryBound(to: UInt8.self)
    let result = try body(unsafe Span(_unsafeElements: pointer))
    extendLifetime(self)
    return result
  }
}

extension SecretBytes: CustomStringConvertible, CustomReflectable {
  /// The length, and nothing of the contents.
  package var description: String { "SecretBytes(\(count) bytes)" }
  /// Shows nothing, so that dumping a value that holds a secret shows nothing either.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension [UInt8] {
  /// Overwrites all elements in a way that the compiler does not leave out, and empties the array.
  ///
  /// The capacity stays. An array that grew left copies behind: reserve room before filling it.
  package mutating func wipe() {
    // SAFETY: the buffer is the array's own and `count` bytes long.
    unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    removeAll(keepingCapacity: true)
  }
}
