import Foundation

// The operator's tool: the first argument names the command, the rest is for the command.
let arguments = Array(CommandLine.arguments.dropFirst())

let code = Commands.run(arguments)
// Without the handlers of exit(3): loops that still end would free what OpenSSL's has freed.
// Nothing is buffered, and flushing would wait for whoever reads a line of the standard input.
_exit(code)
