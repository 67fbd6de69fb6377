// When a catalog of models and prices is too old to be believed: the alert and `gatewayctl doctor` say so from then on.

/** Vendors change prices, and bring new models, every few weeks. */
export const catalogDaysMax = 60;
