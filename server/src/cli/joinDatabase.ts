// How a command connects to the database and leaves it: the embedded server is joined or started, and stopped by whoever leaves last.
import { realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Client } from 'pg'
import type { Config } from '../base/config.ts'
import { connectOrTell, reasonOf } from '../base/databaseRefused.ts'
import { one, type Sql, sqlOn } from '../base/db.ts'
import type { EmbeddedPostgres } from '../base/embeddedPostgres.ts'
import type { Log } from '../base/log.ts'
import { readFacts } from '../base/postgres/facts.ts'
import { runningPostmaster } from '../base/postgres/server.ts'
import type { DatabaseAddress } from '../base/session.ts'
import { abandonDatabase, findDatabase, isBeingPrepared, leaveDatabase } from '../database.ts'
import { announcePresence, type Presence } from '../kit/presence.ts'
import { CommandFailed } from './command.ts'

export interface Joined {
  address: DatabaseAddress
  client: Client
  sql: Sql
  transaction: <T>(work: () => Promise<T>) => Promise<T>
  embedded: EmbeddedPostgres | undefined
  /** Undefined on a database without Runyard's tables. */
  presence: Presence | undefined
  leave(): Promise<void>
}

interface JoinOptions {
  config: Config
  log: Log
  /** The name of the command, as other processes see it. */
  role: string
  /** Make the embedded database when there is none yet. */
  mayMake?: boolean
  /** Announce this process only when it leaves, for a command that makes the table of processes again. */
  announceLate?: boolean
  /** Never announce this process, so that not even a row is written. */
  onlyLooks?: boolean
}

export async function joinDatabase({
  config,
  log,
  role,
  mayMake,
  announceLate,
  onlyLooks,
}: JoinOptions): Promise<Joined> {
  const cluster = config.databaseUrl === undefined ? await clusterOf(config.dataDir) : undefined
  if (config.databaseUrl === undefined && !cluster && !mayMake) {
    throw new CommandFailed(
      `There is no database in ${config.dataDir} yet. Start Runyard once (npm start), or set RUNYARD_DATA_DIR or DATABASE_URL.`,
    )
  }
  const wasRunning = cluster !== undefined && runningPostmaster(cluster) !== undefined
  const { address, embedded } = await findDatabase(config, log).catch((error: unknown) => {
    throw new CommandFailed(reasonOf(error), { cause: error })
  })
  const client = await connectOrTell(address(), `runyard ${role}`).catch(async (error: unknown) => {
    if (!wasRunning) await embedded?.stop()
    throw new CommandFailed(reasonOf(error), { cause: error })
  })
  client.on('error', (error) => log.debug({ err: error }, 'the connection of the command was lost'))
  const announce = async () => {
    const tables = await one(
      sqlOn(client)<{ present: boolean }>`select to_regclass('processes') is not null as present`,
    )
    if (!tables.present || onlyLooks) return undefined
    return announcePresence({ address, role, log, isCommand: true })
  }
  let presence: Presence | undefined
  try {
    presence = announceLate ? undefined : await announce()
  } catch (error) {
    await client.end()
    if (!wasRunning) await embedded?.stop()
    throw new CommandFailed(
      `The ${embedded ? 'embedded PostgreSQL' : 'PostgreSQL of DATABASE_URL'} does not let us in: ${reasonOf(error)}.`,
      {
        cause: error,
      },
    )
  }
  const sql = sqlOn(client)
  return {
    address: address(),
    client,
    sql,
    transaction: (work) => transactionOn(client, work),
    embedded,
    presence,
    async leave() {
      const announced = presence ?? (await announce())
      if (announced) return leaveDatabase({ embedded, presence: announced, sql, log, close: () => client.end() })
      if (onlyLooks) {
        await client.end()
        if (!wasRunning) await abandonDatabase(embedded, log)
        return
      }
      // no other process can be announced either: whoever started the server stops it, unless somebody is setting it up
      const isOurs = !wasRunning && !(await isBeingPrepared(sql))
      await client.end()
      if (isOurs) await embedded?.stop()
    },
  }
}

async function transactionOn<T>(client: Client, work: () => Promise<T>): Promise<T> {
  await client.query('begin')
  try {
    const result = await work()
    await client.query('commit')
    return result
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

/** Leaves the database whether or not the work succeeds; the failure of the work is the one that is reported. */
export async function withDatabase<T>(options: JoinOptions, work: (joined: Joined) => Promise<T>): Promise<T> {
  const joined = await joinDatabase(options)
  let result: T
  try {
    result = await work(joined)
  } catch (error) {
    await joined.leave().catch((failed: unknown) => options.log.warn({ err: failed }, 'leaving the database failed'))
    throw error
  }
  await joined.leave()
  return result
}

/** The folder of the embedded cluster, when the data dir has one. */
async function clusterOf(dataDir: string): Promise<string | undefined> {
  const facts = readFacts(dataDir)
  return facts && join(resolve(await realpath(dataDir), facts.place), facts.cluster)
}
