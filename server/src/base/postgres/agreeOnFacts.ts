// What the processes of one data dir agree on before there is a server: its folder, cluster name, passwords, first port.
import { existsSync } from 'node:fs'
import { readdir, rmdir } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { type Facts, factsVersion, newFacts, readFacts, replaceFacts, writeFirstFacts } from './facts.ts'
import { chooseServerFolder, type LogLine } from './serverFolder.ts'
import { freePort, stopServer } from './server.ts'

/** The facts on disk, or new ones with a folder that the server can reach. */
export async function agreeOnFacts(dataDir: string, programs: string, log: LogLine): Promise<Facts> {
  const before = readFacts(dataDir)
  if (before) return before
  const place = await chooseServerFolder(dataDir, programs, log)
  const inside = dirname(place) === dataDir
  const strays = await clustersIn(place)
  // Facts are written before any cluster is made: read after the listing, their absence means that they were removed.
  const sinceThen = readFacts(dataDir)
  if (!sinceThen && inside && strays.length > 0) {
    throw new Error(
      `${place} holds a database, but postgres.json with its passwords is missing from ${dataDir}. ` +
        `Put the file back, or move ${place} away to begin with an empty database.`,
    )
  }
  if (!sinceThen) await retire(strays, log)
  const proposal = newFacts(inside ? relative(dataDir, place) : place, await freePort())
  const settled = sinceThen ?? (await writeFirstFacts(dataDir, proposal))
  // Another process was faster, with a temporary folder of its own: ours is empty.
  if (!inside && settled.place !== place) await rmdir(place)
  return settled
}

/**
 * A cluster outside the data dir was left behind by a data dir that is removed. Its encryption key is gone with that dir, so a new cluster
 * is made.
 */
async function retire(strays: string[], log: LogLine): Promise<void> {
  for (const stray of strays) {
    log('a removed data dir left this database behind: it is stopped and not deleted; delete it when you like', {
      stray,
    })
    await stopServer(stray, log)
  }
}

async function clustersIn(place: string): Promise<string[]> {
  if (!existsSync(place)) return []
  const names = await readdir(place)
  return names.filter((name) => /^cluster-[0-9a-f]+$/.test(name)).map((name) => join(place, name))
}

export type KnownFacts = { get(): Facts; movedTo(port: number): Promise<void> }

/** The facts as last known, read again when any process has replaced the file. */
export function knownFacts(dataDir: string, settled: Facts): KnownFacts {
  let facts = settled
  let version: string | undefined
  const get = () => {
    const now = factsVersion(dataDir)
    if (now && now !== version) {
      const read = readFacts(dataDir)
      // Another cluster's facts are for processes that come after us: this one's server has not moved.
      if (read?.cluster === facts.cluster) facts = read
      version = now
    }
    return facts
  }
  return {
    get,
    async movedTo(port) {
      if (get().port === port) return
      facts = { ...facts, port }
      await replaceFacts(dataDir, facts)
    },
  }
}
