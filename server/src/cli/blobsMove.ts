// runyard blobs move: brings stored bytes to where they are to be, one content after the other, while the service runs.
import { openDatabase, sqlState, type Sql } from '../base/db.ts'
import { blobsToMove, moveToPostgres, moveToStore, noId, type Movable } from '../drivers/blobs/moveBlobs.ts'
import { BytesDamaged, StoreAway, StoreRefused, type ObjectStore } from '../drivers/blobs/objectStore.ts'
import { openStores, type Stores } from '../drivers/blobs/stores.ts'
import { CommandFailed, UsageError, type Call } from './command.ts'
import { withDatabase } from './joinDatabase.ts'
import { requireCurrentSchema } from './requireCurrentSchema.ts'

/** How many are moved at the same time: each holds at most two parts of 8 MiB. */
const atOnce = 4
const batch = 200
const tellEveryMs = 5000

type Target = { to: 's3'; stores: Stores & { current: ObjectStore } } | { to: 'postgres'; stores: Stores }

export async function blobsMove(call: Call<{ to?: string }>): Promise<number> {
  const { config, log, signal, print } = call
  const target = targetOf(call)
  return withDatabase({ config, log, role: 'blobs move' }, async ({ address, client }) => {
    await requireCurrentSchema(client)
    const db = openDatabase({
      address: () => address,
      log,
      connectionsMax: atOnce,
      applicationName: 'runyard blobs move',
    })
    try {
      const { damaged } = await moveAll(db.sql, target, { signal, print })
      if (signal.aborted) print('Stopped. Run it again to continue.')
      else if (damaged === 0) await tellRest(db.sql, target, print)
      return signal.aborted || damaged > 0 ? 1 : 0
    } catch (error) {
      if (!(error instanceof StoreAway || error instanceof StoreRefused)) throw error
      throw new CommandFailed(`${error.message}. What was moved stays so. Run it again to continue.`, { cause: error })
    } finally {
      await db.close()
    }
  })
}

function targetOf({ config, values, print }: Call<{ to?: string }>): Target {
  const to = values.to ?? (config.blobs === undefined ? 'postgres' : 's3')
  const stores = openStores(config)
  if (to === 'postgres') {
    if (config.blobs !== undefined) {
      print(`RUNYARD_BLOBS is ${config.blobs}: processes with this setting still store new bytes there.`)
    }
    return { to, stores }
  }
  if (to !== 's3') throw new UsageError('--to must be s3 or postgres.')
  const { current } = stores
  if (!current) throw new CommandFailed('RUNYARD_BLOBS names no object store. Set it, as for the service.')
  return { to, stores: { ...stores, current } }
}

interface Telling {
  signal: AbortSignal
  print: (line: string) => void
}

/** In the order of ids, so that a command that is started again passes over what is done by an index. */
async function moveAll(sql: Sql, target: Target, { signal, print }: Telling): Promise<{ damaged: number }> {
  const moved = { count: 0, bytes: 0, stayed: 0, damaged: 0 }
  let toldAt = Date.now()
  const tell = () => print(`Moved ${moved.count} (${sizeOf(moved.bytes)}) so far.`)
  for (let after = noId; !signal.aborted;) {
    const some = await blobsToMove(sql, { to: target.to, after, max: batch, largeFrom: target.stores.largeFrom })
    const last = some.at(-1)
    if (!last) break
    after = last.id
    const waiting = some.values()
    const work = async () => {
      for (const blob of waiting) {
        if (signal.aborted) return
        const became = await moveOne(sql, target, blob).catch((error: unknown) => {
          if (!(error instanceof BytesDamaged)) throw error
          print(`Not moved: ${error.message}.`)
          return 'damaged' as const
        })
        if (became === 'damaged') moved.damaged += 1
        else if (became) {
          moved.count += 1
          moved.bytes += blob.size_bytes
        } else moved.stayed += 1
        if (Date.now() - toldAt < tellEveryMs) continue
        toldAt = Date.now()
        tell()
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
  }
  const where = target.to === 's3' ? target.stores.current.name : 'PostgreSQL'
  print(`Moved ${moved.count} contents (${sizeOf(moved.bytes)}) to ${where}, each checked by its SHA-256.`)
  if (moved.stayed > 0) print(`${moved.stayed} were deleted, or moved by others, before their turn.`)
  if (moved.damaged > 0) {
    print(
      `${moved.damaged} stay where they are, since their bytes are missing or changed. Restore those, then run it again.`,
    )
  }
  return moved
}

/** Somebody who is about to refer to the blob holds it for a moment; each attempt waits for two seconds by itself. */
const attemptsMax = 5

async function moveOne(sql: Sql, target: Target, blob: Movable): Promise<boolean> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await (target.to === 's3'
        ? moveToStore(sql, target.stores, blob)
        : moveToPostgres(sql, target.stores, blob))
    } catch (error) {
      if (attempt === attemptsMax || !/^(40|55P03)/.test(sqlState(error) ?? '')) throw error
    }
  }
}

async function tellRest(sql: Sql, { to, stores: { largeFrom } }: Target, print: (line: string) => void): Promise<void> {
  const [rest] = await blobsToMove(sql, { to, after: noId, max: 1, largeFrom })
  if (rest) print('More has come since. Run it again to move that, too.')
  else if (to === 's3')
    print(`What is left in PostgreSQL has at most ${sizeOf(largeFrom)}, or is a long text of a run.`)
}

function sizeOf(bytes: number): string {
  const mebibytes = bytes / 1024 / 1024
  return mebibytes < 1 ? `${Math.ceil(bytes / 1024)} KiB` : `${mebibytes.toFixed(1)} MiB`
}
