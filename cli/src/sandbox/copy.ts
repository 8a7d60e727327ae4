// runyard sandbox cp: a file into a sandbox or out of it.
import { stat } from 'node:fs/promises'
import { basename, join, posix } from 'node:path'
import { Readable } from 'node:stream'
import type { Runyard } from '../../../sdk/src/index.ts'
import { command, CommandFailed, UsageError } from '../command.ts'
import { progressOf, type Progress } from '../progress.ts'

export const sandboxCopy = command({
  words: 'sandbox cp',
  needs: 'service',
  says: 'Copy a file into a sandbox or out of it.',
  about:
    'SANDBOX:PATH is a file in a sandbox, anything else a file of this machine, and - is stdin or stdout. A folder as TO keeps the name.',
  positionals: ['FROM', 'TO'],
  examples: ['runyard sandbox cp invoices.csv $SANDBOX:in/invoices.csv', 'runyard sandbox cp $SANDBOX:report.pdf .'],
  async run({ positionals, out, signal, service }) {
    const [from = '', to = ''] = positionals
    const source = remoteOf(from)
    const target = remoteOf(to)
    if (Boolean(source) === Boolean(target))
      throw new UsageError('One of FROM and TO must be in a sandbox, as SANDBOX:PATH.')
    const progress = progressOf(out, 'Copying', 'bytes')
    const options = {
      signal,
      onProgress: ({ bytes, total }: { bytes: number; total: number | undefined }) => progress.show(bytes, total),
    }
    const runyard = await service()
    if (target) await upload(runyard, from, target, options, progress)
    if (source) await download(runyard, source, to, options, progress)
    if (!(source && to === '-')) out.note(`${from} is copied to ${to}.`)
  },
})

interface Remote {
  sandbox: string
  path: string
}

/** A letter and a colon is a drive of Windows, so only an id counts. */
function remoteOf(text: string): Remote | undefined {
  const [, sandbox, path] = /^([0-9a-f-]{32,36}):(.*)$/s.exec(text) ?? []
  return sandbox !== undefined && path !== undefined ? { sandbox, path } : undefined
}

type Options = Parameters<Runyard['sandboxes']['upload']>[3]

async function upload(
  runyard: Runyard,
  from: string,
  { sandbox, path }: Remote,
  options: Options,
  progress: Progress,
): Promise<void> {
  if (from !== '-' && (await isFolder(from)))
    throw new CommandFailed(`${from} is a folder. Pack it first, for example with tar.`)
  const isInFolder = path === '' || path.endsWith('/')
  if (isInFolder && from === '-') throw new UsageError('What comes from stdin needs a name in TO.')
  const stored = isInFolder ? `${path}${basename(from)}` : path
  const source = from === '-' ? (Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>) : from
  try {
    await runyard.sandboxes.upload(sandbox, stored, source, options)
  } finally {
    progress.end()
  }
}

async function download(
  runyard: Runyard,
  { sandbox, path }: Remote,
  to: string,
  options: Options,
  progress: Progress,
): Promise<void> {
  try {
    if (to === '-') {
      const stream = await runyard.sandboxes.downloadStream(sandbox, path, { ...options })
      for await (const piece of stream) process.stdout.write(piece)
      return
    }
    // only the last part of the path: what somebody wrote in a sandbox does not choose a folder here
    const name = posix.basename(path)
    if ((await isFolder(to)) && (name === '' || name === '..' || name === '.'))
      throw new UsageError(`${path} is not the name of a file.`)
    await runyard.sandboxes.downloadTo(sandbox, path, (await isFolder(to)) ? join(to, name) : to, options)
  } finally {
    progress.end()
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
