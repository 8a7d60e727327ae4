// The blobs of a process: on any of its databases, with the object store that the settings name.
import type { Sql } from '../base/db.ts'
import type { Blobs } from '../drivers/blobs/blobs.ts'
import { blobsOn } from '../drivers/blobs/blobsOn.ts'
import { openStores } from '../drivers/blobs/stores.ts'
import type { Context } from './context.ts'
import { runningPart } from './runningPart.ts'
import { noteStoreAnswer } from './storeState.ts'

/** How long a run waits for an object store that is away. Whoever sent a request is told at once. */
const patienceOfRunsMs = 120_000

export const storesOf = runningPart('object stores', (context) =>
  openStores(context.config, {
    onAnswer: (problem, refusal) => noteStoreAnswer(context, problem, refusal),
    onAway: (problem) =>
      context.log.warn(
        { err: problem },
        'bytes go into the database, since the object store is away; they are moved later',
      ),
  }),
)

export const blobsFor = (context: Context, sql: Sql): Blobs => blobsOn(sql, storesOf(context))

/** For work of runs, which nobody waits for at a connection. */
export const blobsOfRuns = (context: Context, sql: Sql): Blobs =>
  blobsOn(sql, { ...storesOf(context), patienceMs: patienceOfRunsMs })
