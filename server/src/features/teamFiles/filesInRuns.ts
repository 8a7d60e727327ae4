// How runs get the files of their team: laid into their sandboxes, and read by a tool.
import { readRunConfig } from '../../engine/builds/loadBuild.ts'
import { isUtf8 } from 'node:buffer'
import { blobsOfRuns } from '../../kit/blobs.ts'
import type { ToolSet } from '../../kit/feature.ts'
import type { GivenTo, LaidFile, NamedInBuilds } from '../../kit/given.ts'
import { Type } from '../../kit/schema.ts'
import { factsOf, showStored } from '../../kit/shownFile.ts'
import { outsideTool } from '../../kit/tool.ts'
import { filesNamed } from './teamFile.ts'

export const filesInBuilds: NamedInBuilds = {
  kind: 'files',
  noun: 'file',
  find: ({ sql, teamId, wanted }) => filesNamed(sql, teamId, wanted),
}

/** What is gone since the build was saved is not laid: commands then say what they miss. */
export async function laidTeamFiles({ context, run, given }: GivenTo): Promise<LaidFile[]> {
  if (given.files.length === 0) return []
  const files = await filesNamed(context.db.sql, run.team_id, given.files)
  return files.map(({ name, sha256, size_bytes }) => ({
    path: `/files/${name}`,
    sha256,
    size_bytes,
    is_executable: false,
  }))
}

/** How much text a model gets to read at once. */
const readBytesMax = 64 * 1024
/** How many names the description of the tool has room for. */
const namesMax = 50

export async function fileTools({ context, run, given }: GivenTo): Promise<ToolSet[]> {
  if (given.files.length === 0) return []
  const files = await filesNamed(context.db.sql, run.team_id, given.files)
  if (files.length === 0) return []
  const names = files.slice(0, namesMax).map(({ name, size_bytes }) => `${name} (${size_bytes} bytes)`)
  const more = files.length > names.length ? ` and ${files.length - names.length} more` : ''
  const teamFileRead = outsideTool({
    name: 'team_file_read',
    description: `Read a file of the team: of a text the first 64 KiB; a picture or a PDF is shown to you, if you can see it. Commands in the sandbox find them in /files. There are: ${names.join(', ')}${more}.`,
    input: Type.Object({ name: Type.String({ minLength: 1, maxLength: 512 }) }),
    onDoubt: 'retry',
    leaves: 'never',
    timeoutMs: 30_000,
    async execute(call, outside) {
      const { sql } = outside.context.db
      const now = (await readRunConfig(sql, call.run)).given.files
      const file = (await filesNamed(sql, call.run.team_id, now)).find(({ name }) => name === call.input.name)
      if (!file) return { error: `The build gives this run no file named ${JSON.stringify(call.input.name)}.` }
      const bytes =
        (await blobsOfRuns(outside.context, sql).get([file.sha256], readBytesMax)).get(file.sha256) ?? Buffer.alloc(0)
      if (bytes.includes(0) || (!isUtf8(bytes) && file.size_bytes <= readBytesMax)) {
        const seen = await showStored(outside.context, sql, { ...file, name: `/files/${file.name}` })
        if ('shown' in seen) return { result: { name: file.name, ...factsOf(seen.shown) }, shows: [seen.shown] }
        return { error: `The file is not text. ${seen.problem} Use it in a command, which finds it in /files.` }
      }
      const isCut = file.size_bytes > bytes.length
      const content = bytes.toString().replace(/�$/, '')
      return { result: { name: file.name, size_bytes: file.size_bytes, content, ...(isCut && { truncated: true }) } }
    },
  })
  const title = 'Files of the team'
  return [
    { name: 'given:files', title, description: 'Reads files of the team.', provider: null, tools: [teamFileRead] },
  ]
}
