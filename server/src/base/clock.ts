// The process's clock as a value, so that a test can move time. Leases and windows use the database's clock instead.

export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
