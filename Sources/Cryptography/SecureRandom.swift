import COpenSSL

/// Generates unpredictable bytes with OpenSSL's generator, which the kernel seeds.
///
/// Ends the process if the generator fails, so that no key is ever predictable.
package func secureRandom(count: Int) -> [UInt8] {
  [UInt8](capacity: count) { output in
    // SAFETY: the buffer has room for `count` bytes and RAND_bytes writes exactly that many.
    unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
      precondition(
        unsafe count == 0 || RAND_bytes(buffer.baseAddress, Int32(count)) == 1,
        "The secure random source failed.")
      initialized = count
    }
  }
}
