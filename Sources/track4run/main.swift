// The service of runs.

import Operations
import Track4Run

ServiceProcess.run(.track4run, Track4RunService.assemble)
