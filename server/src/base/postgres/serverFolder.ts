// Where the embedded PostgreSQL's files lie, and as which user it runs: PostgreSQL refuses to run as root.
import { createHash } from 'node:crypto'
import { chmod, chown, mkdir, mkdtemp, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { closedFolder, isRoot, makePrivateFolder, type Account } from '../accounts.ts'

export type LogLine = (message: string, fields?: object) => void

/** uid and gid of `nobody`: the one account without rights that a bare machine or container has. */
const nobody: Account = { uid: 65534, gid: 65534 }

/**
 * The account to spawn PostgreSQL's programs with; undefined = our own. A cluster that a user made and root now starts
 * (sudo) runs as that user, since PostgreSQL accepts only the owner of its files.
 */
export async function accountFor(cluster: string): Promise<Account | undefined> {
  if (!isRoot()) return undefined
  try {
    const { uid, gid } = await stat(cluster)
    return uid === 0 ? nobody : { uid, gid }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return nobody
    throw error
  }
}

/** The folder for a new cluster: inside the data dir, unless the server could not enter that or run its programs. */
export async function chooseServerFolder(dataDir: string, binaries: string, log: LogLine): Promise<string> {
  const inside = join(dataDir, 'postgres')
  if (!isRoot()) return inside
  const closed = (await closedFolder(dataDir, nobody)) ?? (await closedFolder(binaries, nobody))
  if (!closed) return inside
  const hash = createHash('sha256').update(dataDir).digest('hex').slice(0, 16)
  const fixed = join('/var/lib/runyard', hash)
  let place: string
  try {
    await makePrivateFolder(dirname(fixed))
    await makePrivateFolder(fixed)
    await assertReachable(fixed, nobody)
    place = fixed
  } catch (error) {
    // A random name cannot have been planted by somebody else before us; postgres.json remembers it.
    place = await mkdtemp(join(await realpath(tmpdir()), `runyard-${hash}-`))
    await chmod(place, 0o711)
    log(`${fixed} cannot be used: the database lies in the temporary folder`, { reason: String(error) })
  }
  log('PostgreSQL runs as user 65534, which cannot enter this folder: the database lies elsewhere', {
    closed,
    place,
  })
  return place
}

/** Makes the folder and its log folder if they are missing. Throws when the folder is not ours, or the server cannot enter it. */
export async function prepareServerFolder(place: string, dataDir: string, account: Account | undefined): Promise<void> {
  if (dirname(place) === dataDir) {
    await mkdir(place, { recursive: true })
    // Set explicitly, because a umask of 077 would lock the server out.
    if ((await stat(place)).uid === process.getuid?.()) await chmod(place, account ? 0o711 : 0o700)
  } else {
    await makePrivateFolder(place)
  }
  const logs = join(place, 'log')
  await mkdir(logs, { recursive: true })
  if (account) {
    await chown(logs, account.uid, account.gid)
    await assertReachable(place, account)
  }
  await chmod(logs, 0o700)
}

async function assertReachable(folder: string, account: Account): Promise<void> {
  const closed = await closedFolder(folder, account)
  if (closed) {
    throw new Error(
      `PostgreSQL runs as user ${account.uid}, which cannot enter ${closed}: chmod o+x it, or set DATABASE_URL`,
    )
  }
}
