// The service of Track4Run, composed of Runs, LiveRuns and Data4HelpSync: its start, the tasks of
// the process that holds the lease, the clock of all processes, and the list of all statements.
