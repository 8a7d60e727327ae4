// How long a drill may take, unless somebody says otherwise.
export const usualTimeoutMs = 30 * 60_000
