// Mail: a mail is queued in the transaction that causes it, encrypted under the server's mail key.
// A worker in each replica leases the mails that are due and sends them through libcurl to a mail
// server, or writes them to a directory if there is none. It retries on a fixed schedule, so
// delivery is at least once.
