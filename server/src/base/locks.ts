// The advisory locks of a Runyard database, in one file so that no two uses share a number.

/** Session lock around migrations and first-start work. */
export const migrationLock = 0x52590001
/** First half of the two-part lock that a living process holds; the second half is its row's lock_key. */
export const presenceLockClass = 0x52590003
