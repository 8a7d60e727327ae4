// What was measured and what is assumed: everything that the simulations begin from.

export interface Kind {
  name: string
  /** Processor time of a run, in µs. */
  postgresUs: number
  nodeUs: number
  /** Of PostgreSQL's write-ahead log. */
  walBytes: number
  /** Commits that the run waits for, one after the other (decision 0055). */
  writes: number
}

/** `npm run bench -- scenarios/inside3 scenarios/outside3` on 2 cores, best of the same machine. */
export const inside3: Kind = { name: 'three inside steps', postgresUs: 1288, nodeUs: 1547, walBytes: 11_800, writes: 2 }
export const outside3: Kind = {
  name: 'three outside steps',
  postgresUs: 2079,
  nodeUs: 2393,
  walBytes: 17_300,
  writes: 5,
}

/** A commit of its own on the disk of that machine, in µs (docs/proofs/bench.md, "a paced commit"). */
export const flushUs = 910

/** Assumed, not measured here: a standby in another zone of the same region, and what its log and ours can take. */
export const standbyUs = 1000
export const walBytesPerS = 500e6

/**
 * Assumed, not measured here: how much of PostgreSQL's work on a run only one core can do at a time (the log, hot pages). Cores beyond the second are
 * worth less for it. With 0.01, 16 cores do the work of 13.9.
 */
export const serialShare = 0.01

/** How many cores a server is worth (Amdahl). */
export const coresWorth = (cores: number): number => cores / (1 + serialShare * (cores - 1))
