// The detector of AutomatedSOS: readings and a clock in, decisions out. It does no input or output
// and imports nothing, so that it runs on a phone as on a server and every decision can be replayed
// from the readings. It decides when a person is warned, asked and when a hospital is to be called;
// doing so is its caller's. It is not a medical device and does not replace 112.
