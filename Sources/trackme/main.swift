import Foundation
import Installation
import OperatorTool

// The operator's tool: the first argument names the command, the rest is for the command.
let arguments = Array(CommandLine.arguments.dropFirst())

let code = Commands.trackme.run(arguments)
// `_exit` skips the handlers of exit(3): loops that are still ending would free memory that
// OpenSSL's handler has freed. Nothing is buffered, and flushing standard input would wait for its
// reader.
_exit(code)
