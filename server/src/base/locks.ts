// The advisory locks of a Runyard database, in one file so that no two uses share a number.

/** Session lock around migrations and first-start work. */
export const migrationLock = 0x52590001
/** Session lock, shared, by which a process sees that a pooler leads to the database that it knows. */
export const poolerLock = 0x52590004
/** First half of the two-part lock that a living process holds; the second half is its row's lock_key. */
export const presenceLockClass = 0x52590003
/** The same for whoever sets free what a dead process held. It is another lock, so that its holder is never taken for that process. */
export const reapLockClass = 0x52590005
/** Transaction lock of whoever seals the logs of ended runs, and, shared, of whoever deletes runs (migration 0126 has the number). */
export const sealLock = 0x52590006
