// The synchronisation with Data4Help, without knowledge of runs: one process of all replicas
// (LeaderElection) sends the orders of a transactional outbox (Outbox) and consumes the events of
// Data4Help in their sequence (ChangeFeed). Data4HelpClient has the other calls to Data4Help.
