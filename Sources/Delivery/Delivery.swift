// The Delivery module.
