// The channel on which processes tell each other that there is something to deliver.
export const deliveriesChannel = 'runyard_deliveries'

/** Between two looks for targets of nobody, and between two calls, however often events are written. */
export const lookMs = 20
