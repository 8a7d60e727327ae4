// Makes a pool of connections give the one that it opened first, of those that are free.
//
// A pool of pg gives the one that was released last. So a moment in which many statements meet brings all connections into use, one after the
// other, and each session of the server loads its catalogs and plans each statement six times before it keeps a plan. With ten streams of runs
// open, 14 to 17 sessions took part under load, and 8 to 12 do now; without streams 6 or 7, and 4 now. Those of a busy moment rest.
import type { Pool, PoolClient } from 'pg'

interface Free {
  client: PoolClient
}

/** Called before the pool is used. */
export function giveWarmFirst(pool: Pool): void {
  // pg-pool has no setting for it; a test of ours sees when a version of it does this differently
  const { _idle: free } = pool as unknown as { _idle: Free[] }
  const numbers = new WeakMap<PoolClient, number>()
  let opened = 0
  pool.on('connect', (client) => numbers.set(client, (opened += 1)))
  const numberOf = ({ client }: Free): number => numbers.get(client) ?? Infinity
  // it takes the last one
  free.push = (...more) => {
    for (const one of more) {
      const place = free.findIndex((other) => numberOf(other) < numberOf(one))
      free.splice(place < 0 ? free.length : place, 0, one)
    }
    return free.length
  }
}
