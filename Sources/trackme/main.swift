import Foundation

// The operator's tool: the first argument names the command, the rest is for the command.
let arguments = Array(CommandLine.arguments.dropFirst())

exit(Commands.run(arguments))
