// Copies between this machine and a sandbox: a file, the files of a folder, or a stream.
import { mkdir, stat } from 'node:fs/promises'
import { basename, dirname, join, posix } from 'node:path'
import { Readable } from 'node:stream'
import { NotFoundError, type Runyard } from '../../../sdk/src/index.ts'
import { CommandFailed, UsageError, type Call } from '../command.ts'
import { withoutOrders, type Output } from '../output.ts'
import { progressOf } from '../progress.ts'
import { localFiles, remoteFiles } from './folders.ts'

interface Remote {
  sandbox: string
  path: string
}

interface Ends {
  local: string
  remote: Remote
  isUpload: boolean
}

/** One file to copy; nobody knows the size of one that is asked for by its name. */
interface Pair {
  local: string
  remote: string
  bytes: number | undefined
}

type Around = Pick<Call, 'out' | 'stdin' | 'signal'> & { runyard: Runyard }

export async function copyFiles(call: Call<{ recursive?: boolean }>): Promise<void> {
  const { positionals, out, stdin, signal, values } = call
  const [from = '', to = ''] = positionals
  const { recursive = false } = values
  const ends = endsOf(from, to)
  const { local, isUpload } = ends
  if (local === '-' && recursive)
    throw new UsageError('- is one file, and -r copies a folder. Pack it first, for example with tar.')
  const around = { out, stdin, signal, runyard: await call.service() }
  if (local === '-' && !isUpload) return toStdout(around, ends.remote)
  if (local === '-') await fromStdin(around, ends.remote)
  else {
    const pairs = await (isUpload ? uploadsOf(ends, recursive, out) : downloadsOf(around, ends, recursive))
    await copyPairs(around, ends, pairs)
    if (recursive) out.note(`${pairs.length === 1 ? '1 file is' : `${pairs.length} files are`} copied to ${to}.`)
  }
  if (!recursive) out.note(`${from} is copied to ${to}.`)
}

function endsOf(from: string, to: string): Ends {
  const source = remoteOf(from)
  const target = remoteOf(to)
  if (source && !target) return { local: to, remote: source, isUpload: false }
  if (target && !source) return { local: from, remote: target, isUpload: true }
  throw new UsageError('One of FROM and TO must be in a sandbox, as SANDBOX:PATH.')
}

/** A letter and a colon is a drive of Windows, so only an id counts. */
function remoteOf(text: string): Remote | undefined {
  const [, sandbox, path] = /^([0-9a-f-]{32,36}):(.*)$/s.exec(text) ?? []
  return sandbox !== undefined && path !== undefined ? { sandbox, path } : undefined
}

const isFolderName = (path: string): boolean => path === '' || path.endsWith('/')

async function uploadsOf({ local, remote: { path } }: Ends, recursive: boolean, out: Output): Promise<Pair[]> {
  const found = await stat(local)
  const stored = isFolderName(path) ? `${path}${basename(local)}` : path
  if (!found.isDirectory()) return [{ local, remote: stored, bytes: found.size }]
  if (!recursive) throw new CommandFailed(`${local} is a folder. Copy it with -r.`)
  const { files, leftOut } = await localFiles(local)
  if (leftOut > 0)
    out.note(leftOut === 1 ? '1 link or special file is left out.' : `${leftOut} links or special files are left out.`)
  // `.` and `..` are folders without a name of their own
  const folder = /^\.*$/.test(basename(local)) ? path : stored
  return files.map((file) => ({
    local: join(local, file.path),
    remote: posix.join(folder, file.path),
    bytes: file.bytes,
  }))
}

async function downloadsOf({ runyard, signal }: Around, ends: Ends, recursive: boolean): Promise<Pair[]> {
  const { local, remote } = ends
  // only the last part of the path: what somebody wrote in a sandbox does not choose a folder here
  const name = posix.basename(remote.path)
  if (name === '.' || name === '..') throw new UsageError(`${remote.path} is not the name of a file.`)
  const to = (await isFolder(local)) ? join(local, name) : local
  const listed = recursive ? await listedIn(runyard, remote, signal) : undefined
  if (!listed) {
    if (name === '') throw new UsageError('FROM is a folder of the sandbox. Copy it with -r.')
    return [{ local: to, remote: remote.path, bytes: undefined }]
  }
  for (const folder of ['', ...listed.folders]) await mkdir(join(to, folder), { recursive: true })
  return listed.files.map(({ path, bytes }) => ({
    local: join(to, path),
    remote: posix.join(remote.path, path),
    bytes,
  }))
}

/** Undefined for a file: also with -r it is copied. */
async function listedIn(runyard: Runyard, remote: Remote, signal: AbortSignal) {
  try {
    return await remoteFiles(runyard, remote, signal)
  } catch (error) {
    if (error instanceof NotFoundError && remote.path !== '') return undefined
    throw error
  }
}

async function copyPairs({ runyard, out, signal }: Around, ends: Ends, pairs: Pair[]): Promise<void> {
  const { sandbox } = ends.remote
  const progress = progressOf(out, 'Copying', 'bytes')
  const known = pairs.reduce((sum, { bytes = 0 }) => sum + bytes, 0)
  let done = 0
  try {
    for (const { local, remote, bytes } of pairs) {
      const onProgress = (seen: { bytes: number; total: number | undefined }) =>
        progress.show(done + seen.bytes, bytes === undefined ? seen.total : known)
      const options = { signal, onProgress }
      if (ends.isUpload) await runyard.sandboxes.upload(sandbox, remote, local, options)
      else {
        await mkdir(dirname(local), { recursive: true })
        await runyard.sandboxes.downloadTo(sandbox, remote, local, options)
      }
      done += bytes ?? 0
    }
  } finally {
    progress.end()
  }
}

async function fromStdin({ runyard, stdin, signal }: Around, { sandbox, path }: Remote): Promise<void> {
  if (isFolderName(path)) throw new UsageError('What comes from stdin needs a name in TO.')
  const source = Readable.toWeb(stdin()) as ReadableStream<Uint8Array>
  await runyard.sandboxes.upload(sandbox, path, source, { signal })
}

async function toStdout({ runyard, out, signal }: Around, { sandbox, path }: Remote): Promise<void> {
  const stream = await runyard.sandboxes.downloadStream(sandbox, path, { signal })
  const decoder = new TextDecoder()
  const shown = (piece: Uint8Array): Uint8Array =>
    out.isForPeople ? Buffer.from(withoutOrders(decoder.decode(piece, { stream: true }))) : piece
  for await (const piece of stream) {
    out.bytes(shown(piece))
    await out.taken()
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return path.endsWith('/')
    throw error
  }
}
