// The tool set `sandbox`: the files of the run's workspace. Each tool takes the calls of many runs at once.
import type { Sql } from '../../base/db.ts'
import { blobsFor } from '../../kit/blobs.ts'
import type { ToolSet } from '../../kit/feature.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { insideTool, type Outcome } from '../../kit/tool.ts'
import { beginningBytes } from '../../drivers/blobs/blobs.ts'
import { contentTypeOf } from '../../base/contentType.ts'
import { sandboxExec } from './exec/execTool.ts'
import { sandboxViewFile } from './viewTool.ts'
import { findFiles, listFolders, workspacesOf, type PathIn, type RunOfTeam } from './workspace/workspace.ts'
import { sandboxPoolOf } from './pool/sandboxPool.ts'
import { workspacePath, workspaceRoot } from './workspace/workspacePath.ts'
import { writeFiles, type FileWrite } from './workspace/writeFiles.ts'

const fileBytesMax = 10 * 1024 * 1024
/** How much text a model gets to read at once. Bytes grow by a third in base64. */
const readBytesMax = beginningBytes
const base64BytesMax = (readBytesMax / 4) * 3
const entriesMax = 1000

const Path = Type.String({ description: 'Relative to /workspace, or absolute below it.' })

type Checked<T> = T | { problem: string }

/** Runs the work on the valid calls, and returns all outcomes in the order of the calls. */
async function onGood<T>(checked: Checked<T>[], work: (good: T[]) => Promise<Outcome[]>): Promise<Outcome[]> {
  const isBad = (one: Checked<T>): one is { problem: string } =>
    typeof one === 'object' && one !== null && 'problem' in one
  const good = checked.filter((one): one is T => !isBad(one))
  const outcomes = (good.length > 0 ? await work(good) : []).values()
  return checked.map((one) => (isBad(one) ? { error: one.problem } : outcomes.next().value!))
}

/** Undefined for a run that has no workspace yet. */
async function pathsIn(sql: Sql, wanted: { run: RunOfTeam; path: string }[]): Promise<(PathIn | undefined)[]> {
  const places = await workspacesOf(
    sql,
    wanted.map(({ run }) => run),
  )
  return wanted.map(({ run, path }) => {
    const place = places.get(run.id)
    return place && { ...place, path }
  })
}

const sandboxWriteFile = insideTool({
  name: 'sandbox_write_file',
  description: 'Write a file of the workspace, new or over the old one.',
  input: Type.Object({
    path: Path,
    content: Type.String(),
    encoding: Type.Optional(
      oneOf(['utf-8', 'base64'], { description: 'How the content is given: as text, or as bytes in base64.' }),
    ),
  }),
  apply: (calls, sql, context) => {
    const writes = calls.map(({ run, step, input }): Checked<FileWrite> => {
      const checked = workspacePath(input.path)
      if ('problem' in checked) return checked
      if (checked.path === workspaceRoot) return { problem: 'The path is the workspace itself. Name a file in it.' }
      const bytes = bytesOf(input.content, input.encoding)
      return Buffer.isBuffer(bytes) ? { run, step, ...checked, bytes } : bytes
    })
    return onGood(writes, async (good) => {
      const written = await writeFiles(context, sql, good)
      return written.map((file): Outcome => {
        if ('refused' in file) return { error: file.refused }
        return { result: file, files: [{ ...file, content_type: contentTypeOf(file.path) }] }
      })
    })
  },
})

function bytesOf(content: string, encoding: 'utf-8' | 'base64' = 'utf-8'): Buffer | { problem: string } {
  if (encoding === 'utf-8' && !content.isWellFormed()) {
    return {
      problem: 'The content holds half of a surrogate pair, which is not a character. Leave it out, or send base64.',
    }
  }
  const text = encoding === 'base64' ? content.replace(/\s+/g, '') : content
  const bytes = Buffer.from(text, encoding)
  // the decoder skips invalid characters; valid base64 encodes back to the same text
  if (encoding === 'base64' && bytes.toString('base64').replace(/=+$/, '') !== text.replace(/={1,2}$/, '')) {
    return {
      problem: 'The content is not valid base64 (RFC 4648 §4). Encode it again, or send text with the encoding utf-8.',
    }
  }
  if (bytes.length <= fileBytesMax) return bytes
  return { problem: `The file would have ${bytes.length} bytes; a file written by a tool has at most ${fileBytesMax}.` }
}

const sandboxReadFile = insideTool({
  name: 'sandbox_read_file',
  description: 'Read a file of the workspace: its text, or base64 if it is not text; of a long file the first 64 KiB.',
  input: Type.Object({ path: Path }),
  apply: (calls, sql, context) => {
    const wanted = calls.map(({ run, input }) => {
      const checked = workspacePath(input.path)
      return 'problem' in checked ? checked : { run, ...checked }
    })
    return onGood(wanted, async (good) => {
      const files = await findFiles(sql, await pathsIn(sql, good))
      const sha256s = files.flatMap((file) => file?.sha256 ?? [])
      // no more than the database has of every file: nobody else is asked in a transaction
      const contents = await blobsFor(context, sql).get(sha256s, readBytesMax)
      return files.map((file, index): Outcome => {
        if (!file) return { error: `there is no file ${good[index]!.path} in the workspace` }
        const { path, sha256, size_bytes } = file
        return { result: { path, size_bytes, ...readable(contents.get(sha256)!, size_bytes) } }
      })
    })
  },
})

interface Readable {
  content: string
  encoding: 'utf-8' | 'base64'
  truncated?: true
}

/** Text if it is text. A cut may split a character, which is then left out. */
function readable(bytes: Buffer, sizeBytes: number): Readable {
  const text = textOf(bytes, sizeBytes)
  const content = text ?? bytes.toString('base64', 0, base64BytesMax)
  const isCut = sizeBytes > (text === undefined ? base64BytesMax : readBytesMax)
  return { content, encoding: text === undefined ? 'base64' : 'utf-8', ...(isCut && { truncated: true }) }
}

/** Undefined: it is not UTF-8, or holds a NUL, which no stored text may. */
function textOf(bytes: Buffer, sizeBytes: number): string | undefined {
  if (bytes.includes(0)) return undefined
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    return decoder.decode(bytes, { stream: sizeBytes > bytes.length })
  } catch (error) {
    if (error instanceof TypeError) return undefined
    throw error
  }
}

const sandboxListFiles = insideTool({
  name: 'sandbox_list_files',
  description: 'List what is in a folder of the workspace, one level deep.',
  input: Type.Object({ path: Type.Optional(Path) }),
  apply: (calls, sql) => {
    const wanted = calls.map(({ run, input }) => {
      const checked = workspacePath(input.path ?? workspaceRoot)
      return 'problem' in checked ? checked : { run, ...checked }
    })
    return onGood(wanted, async (good) => {
      const folders = await listFolders(sql, await pathsIn(sql, good), entriesMax + 1)
      return folders.map((found, index): Outcome => {
        const { path } = good[index]!
        const entries = found ?? (path === workspaceRoot ? [] : undefined)
        if (!entries) {
          return { error: `there is no folder ${path} in the workspace` }
        }
        const isCut = entries.length > entriesMax
        return { result: { path, files: entries.slice(0, entriesMax), ...(isCut && { truncated: true }) } }
      })
    })
  },
})

export const sandboxTools: ToolSet = {
  name: 'sandbox',
  title: 'Sandbox',
  description: 'Run commands, and keep files, in a workspace of the run’s own.',
  tools: [sandboxExec, sandboxWriteFile, sandboxReadFile, sandboxListFiles, sandboxViewFile],
  inForce: (context) => sandboxPoolOf(context).strength(),
  provider: null,
}
