// Delivery: what leaves the house. A mail is queued in the transaction that causes it, sealed under
// the server's mail key; a worker in each replica leases what is due, sends it through libcurl to a
// mail server (or writes it to a directory where there is none) and tries again by a fixed
// schedule. What is delivered is delivered at least once.
