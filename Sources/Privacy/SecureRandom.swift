import COpenSSL

/// Draws bytes that nobody can predict, from OpenSSL's generator seeded by the kernel.
///
/// Ends the process if the generator fails: nothing may go on with predictable keys.
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
