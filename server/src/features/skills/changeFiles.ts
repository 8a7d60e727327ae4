// Changes one file of a skill: its next version has all other files as they were.
import type { Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { foldersOf } from '../../base/plainPath.ts'
import { blobsFor } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import { headOf, saveVersion, storeFiles } from './saveVersion.ts'
import { filesOfVersion, skillColumns, type Skill, type SkillFile } from './skill.ts'

interface Change {
  path: string
  /** Undefined: the file goes. */
  file: { bytes: Buffer; is_executable: boolean } | undefined
  memberId: string
}

export async function changeFile(context: Context, sql: Sql, asked: Skill, change: Change): Promise<Skill> {
  const { path, file, memberId } = change
  const { id, team_id: teamId } = asked
  await sql`select id from teams where id = ${teamId} for no key update`
  const [skill] = await sql<Skill>`
    select ${skillColumns} from skills s where s.id = ${id} and s.team_id = ${teamId} for update`
  if (!skill) throw new Fault('not_found')
  const before = await filesOfVersion(sql, skill, skill.version)
  const others = before.filter((one) => one.path !== path)
  if (!file && others.length === before.length) throw new Fault('not_found', noSuchFile)
  if (!file && path === 'SKILL.md') throw new Fault('conflict', 'A skill has a SKILL.md. Delete the skill instead.')
  if (file) requirePlace(path, others)
  const added = file ? await storeFiles(context, sql, [{ path, ...file }]) : []
  const head = path === 'SKILL.md' && file ? headOf([{ path, bytes: file.bytes }]) : skill
  if (head.name !== skill.name) {
    const taken = await sql`select 1 from skills where team_id = ${teamId} and name = ${head.name}`
    if (taken.length > 0) throw new Fault('duplicate_name', 'This team has a skill of this name. Choose another.')
  }
  return saveVersion(context, sql, skill, { teamId, memberId, files: [...others, ...added], head })
}

export const noSuchFile = 'This skill has no file with this path. getSkill lists its files.'

function requirePlace(path: string, others: SkillFile[]): void {
  const folders = foldersOf(path)
  const clash = others.find((one) => folders.includes(one.path) || one.path.startsWith(`${path}/`))
  if (clash) throw new Fault('conflict', `${JSON.stringify(clash.path)} is there: one would be a file and a folder.`)
}

export async function bytesOf(
  context: Context,
  sql: Sql,
  files: SkillFile[],
): Promise<{ path: string; bytes: Buffer; is_executable: boolean }[]> {
  const stored = await blobsFor(context, sql).get(files.map(({ sha256 }) => sha256))
  return files.map(({ path, sha256, is_executable }) => ({
    path,
    bytes: stored.get(sha256) ?? Buffer.alloc(0),
    is_executable,
  }))
}
