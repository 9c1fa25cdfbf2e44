// The detector of AutomatedSOS turns readings and a clock into decisions. It does no I/O and
// imports nothing, so it runs on phones and servers alike, and every decision can be replayed from
// the readings. It decides when to warn the person, when to ask, and when to call a hospital; its
// caller acts. It is not a medical device and does not replace 112.
