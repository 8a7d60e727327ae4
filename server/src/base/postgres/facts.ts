// postgres.json: how the processes of one data dir find their database server, and its passwords.
import { randomBytes } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import { link, open, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { syncFolder } from '../atomicFolder.ts'

export type Facts = {
  host: '127.0.0.1'
  port: number
  database: 'runyard'
  user: 'runyard'
  password: string
  superuser: 'postgres'
  superuser_password: string
  /** Folder of the server's files: relative to the data dir when it lies inside (so that the dir can be moved). */
  place: string
  /** Folder of the cluster inside the server's folder. Its name is random, so that these passwords are never used with another cluster. */
  cluster: string
}

const secret = () => randomBytes(32).toString('base64url')

/** New facts with new passwords, which are not on disk yet. */
export function newFacts(place: string, port: number): Facts {
  const cluster = `cluster-${randomBytes(4).toString('hex')}`
  return {
    host: '127.0.0.1',
    port,
    database: 'runyard',
    user: 'runyard',
    password: secret(),
    superuser: 'postgres',
    superuser_password: secret(),
    place,
    cluster,
  }
}

const fileOf = (dataDir: string) => join(dataDir, 'postgres.json')

/** Synchronous, because a pool reads the connection settings for every new connection, and the file has 400 bytes. */
export function readFacts(dataDir: string): Facts | undefined {
  let text: string
  try {
    text = readFileSync(fileOf(dataDir), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    return JSON.parse(text) as Facts
  } catch (cause) {
    throw new Error(`${fileOf(dataDir)} is not JSON: put back the file that was there.`, { cause })
  }
}

/** Changes whenever the file is replaced. */
export function factsVersion(dataDir: string): string | undefined {
  const found = statSync(fileOf(dataDir), { bigint: true, throwIfNoEntry: false })
  return found && `${found.ino}:${found.mtimeNs}`
}

/** The first process decides the passwords, before there is any cluster; every other process gets those of the first. */
export async function writeFirstFacts(dataDir: string, proposal: Facts): Promise<Facts> {
  await write(dataDir, proposal, async (staged) => {
    try {
      await link(staged, fileOf(dataDir)) // link(2), unlike rename(2), never replaces
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
  })
  const settled = readFacts(dataDir)
  if (!settled) throw new Error(`${fileOf(dataDir)} vanished while the embedded PostgreSQL was being set up`)
  return settled
}

export async function replaceFacts(dataDir: string, facts: Facts): Promise<void> {
  await write(dataDir, facts, (staged) => rename(staged, fileOf(dataDir)))
}

async function write(dataDir: string, facts: Facts, publish: (staged: string) => Promise<void>): Promise<void> {
  const staged = `${fileOf(dataDir)}.tmp-${randomBytes(6).toString('hex')}`
  try {
    const handle = await open(staged, 'wx', 0o600)
    try {
      // Root acting on a user's data dir must not lock that user out of it.
      if (process.getuid?.() === 0) {
        const owner = await stat(dataDir)
        await handle.chown(owner.uid, owner.gid)
      }
      await handle.writeFile(`${JSON.stringify(facts, null, 2)}\n`)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await publish(staged)
    await syncFolder(dataDir)
  } finally {
    await rm(staged, { force: true })
  }
}
