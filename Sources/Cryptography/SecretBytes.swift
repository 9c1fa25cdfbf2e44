import COpenSSL

/// Secret bytes: overwritten when released, and never shown by printing.
///
/// The bytes stay at one address outside the Swift heap's movable storage and are never copied
/// implicitly; a closure must protect the copies that it makes. They never change after creation,
/// so sharing them between threads is safe.
@safe package final class SecretBytes: @unchecked Sendable {
  /// The number of bytes.
  package let count: Int
  private let storage: UnsafeMutableRawPointer

  /// Copies the bytes; the owner of the source must wipe it.
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

  /// Copies the bytes and wipes the source array, provided that its storage is not shared.
  package convenience init(consuming bytes: inout [UInt8]) {
    self.init(copying: bytes.span)
    bytes.wipe()
  }

  /// Copies the UTF-8 form of a text, such as a password.
  package convenience init(utf8 text: String) {
    self.init(copying: text.utf8.span)
  }

  deinit {
    // SAFETY: allocated in init with this size, and no longer used once deinit runs.
    unsafe OPENSSL_cleanse(storage, count)
    unsafe storage.deallocate()
  }

  /// Passes the bytes to `body`; they are not accessible after it has returned.
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
  /// Only the length.
  package var description: String { "SecretBytes(\(count) bytes)" }
  /// Empty, so that dumping a value that contains a secret does not show the secret.
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}

extension [UInt8] {
  /// Overwrites all elements in a way that the compiler cannot optimise out, and empties the array.
  ///
  /// The capacity stays. An array that grew has left copies behind: reserve the capacity before
  /// filling.
  package mutating func wipe() {
    // SAFETY: the buffer belongs to the array and is `count` bytes long.
    unsafe withUnsafeMutableBytes { unsafe OPENSSL_cleanse($0.baseAddress, $0.count) }
    removeAll(keepingCapacity: true)
  }
}
