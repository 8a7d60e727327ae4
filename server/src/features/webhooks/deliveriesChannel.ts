// The channel on which processes notify each other that there is something to deliver, or, with its id, that a webhook was deleted.
export const deliveriesChannel = 'runyard_deliveries'

/** How long at least between two polls for unclaimed targets, and between two notifications, however often events are written. */
export const announceMs = 20
