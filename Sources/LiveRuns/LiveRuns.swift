// Live runs: every process follows the current runs by their stored data (Following), computes one
// frame a second for all clients (Frames), and sends it to spectators (Spectators, Routes). They
// find runners whom they know (RunnerSearch). LostSignals notifies runners whose positions stopped.
