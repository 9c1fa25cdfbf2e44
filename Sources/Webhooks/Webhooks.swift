// Webhooks: signed calls to the addresses that third parties have registered, by libcurl. A poster
// checks each resolved address against the allowed ranges before it connects, sends many messages
// at once over connections that stay open, and reports the outcome of each. When to call again is
// the decision of its caller.
