// The driver of `make fuzz`: hands the inputs that libFuzzer makes to the target that the
// environment names. Built only there, with the instrumentation that libFuzzer follows.

import Foundation
import FuzzTargets

@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ argumentCount: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ runOne: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

private let target: FuzzTarget = {
  let name = ProcessInfo.processInfo.environment["TRACKME_FUZZ_TARGET"] ?? ""
  guard let target = FuzzTarget(rawValue: name) else {
    let names = FuzzTarget.allCases.map(\.rawValue).joined(separator: ", ")
    FileHandle.standardError.write(Data("TRACKME_FUZZ_TARGET must be one of \(names).\n".utf8))
    exit(64)
  }
  return target
}()

_ = target
var argumentCount = CommandLine.argc
var arguments = unsafe CommandLine.unsafeArgv
// SAFETY: libFuzzer passes `count` bytes that live during the call.
exit(
  unsafe runDriver(&argumentCount, &arguments) { bytes, count in
    unsafe target.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
    return 0
  })
