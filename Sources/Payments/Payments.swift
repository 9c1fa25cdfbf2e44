// Payments: the broker that the operator has chosen. A hosted checkout is opened with one call over
// the poster of Webhooks, and answers the address of the broker's page; the broker reports a
// payment with a signed message, whose signature is checked here. No card data passes through the
// product.
