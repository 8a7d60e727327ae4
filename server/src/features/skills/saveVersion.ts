// Saves the files of a skill as its next version, in the caller's transaction.
import { one, type Sql } from '../../base/db.ts'
import { Fault } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import { storageProblem } from '../../engine/engine.ts'
import { blobsFor } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import { readFrontMatter, type SkillHead } from './frontMatter.ts'
import { skillColumns, type Skill, type SkillFile } from './skill.ts'

/** What a skill may hold. */
export const skillBounds = { entriesMax: 500, bytesMax: 20 * 1024 * 1024 }
const headBytesMax = 256 * 1024
const skillsMax = 500
/** Older versions go when a new one comes. */
const versionsMax = 50

interface NewVersion {
  teamId: string
  memberId: string | null
  files: SkillFile[]
  head: SkillHead
}

/** What SKILL.md says. Refuses files that are no skill. */
export function headOf(files: { path: string; bytes: Buffer }[]): SkillHead {
  const text = files.find(({ path }) => path === 'SKILL.md')?.bytes
  if (!text) throw new Fault('invalid_request', 'A skill has a file SKILL.md at its top.')
  if (text.length > headBytesMax) throw new Fault('invalid_request', `SKILL.md has at most ${headBytesMax / 1024} KiB.`)
  const head = readFrontMatter(text.toString())
  if ('problem' in head) throw new Fault('invalid_request', head.problem)
  return head
}

/** Stores the bytes; a file that begins with #! can be run wherever it was packed. */
export async function storeFiles(
  context: Context,
  sql: Sql,
  files: { path: string; bytes: Buffer; is_executable: boolean }[],
): Promise<SkillFile[]> {
  const hashes = await blobsFor(context, sql).put(files.map(({ bytes }) => bytes))
  return files.map(({ path, bytes, is_executable }, index) => ({
    path,
    size_bytes: bytes.length,
    sha256: hashes[index]!,
    is_executable: is_executable || bytes.subarray(0, 2).toString() === '#!',
  }))
}

/** A skill of this name gets its next version; otherwise it is made. */
export async function saveByName(context: Context, sql: Sql, wanted: NewVersion): Promise<Skill> {
  const { teamId, head } = wanted
  // locked against others who make or name skills in this team
  await sql`select id from teams where id = ${teamId} for no key update`
  const [known] = await sql<Skill>`
    select ${skillColumns} from skills s where s.team_id = ${teamId} and s.name = ${head.name} for update`
  if (known) return saveVersion(context, sql, known, wanted)
  const { skills } = await one(sql<{ skills: number }>`select count(*) as skills from skills where team_id = ${teamId}`)
  if (skills >= skillsMax)
    throw new Fault('conflict', `This team has ${skillsMax} skills, which is the most. Delete some.`)
  const made = await one(sql<Skill>`
    with s as (
      insert into skills (id, team_id, user_id, name, description, version)
      values (${newId()}, ${teamId}, ${wanted.memberId}, ${head.name}, ${head.description}, 0)
      returning *)
    select ${skillColumns} from s`)
  return saveVersion(context, sql, made, wanted)
}

/** The caller has locked the skill. */
export async function saveVersion(context: Context, sql: Sql, skill: Skill, wanted: NewVersion): Promise<Skill> {
  const { teamId, memberId, files, head } = wanted
  const bytes = files.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  if (files.length > skillBounds.entriesMax || bytes > skillBounds.bytesMax) {
    const most = `${skillBounds.entriesMax} files and ${skillBounds.bytesMax / 1024 / 1024} MiB`
    throw new Fault('invalid_request', `A skill has at most ${most}.`)
  }
  const problem = await storageProblem(context, sql, teamId, bytes)
  if (problem !== undefined) throw new Fault('entitlement_exceeded', problem)
  const version = skill.version + 1
  await sql`
    insert into skill_versions (skill_id, version, team_id, user_id, description, files, size_bytes)
    values (${skill.id}, ${version}, ${teamId}, ${memberId}, ${head.description}, ${files.length}, ${bytes})`
  await sql`
    insert into skill_files (skill_id, version, team_id, path, sha256, size_bytes, is_executable)
    select ${skill.id}::uuid, ${version}::int, ${teamId}::uuid, f.path, decode(f.sha256, 'hex'), f.size_bytes, f.is_executable
    from unnest(${files.map(({ path }) => path)}::text[], ${files.map(({ sha256 }) => sha256)}::text[],
      ${files.map(({ size_bytes }) => size_bytes)}::bigint[], ${files.map(({ is_executable }) => is_executable)}::boolean[])
      as f (path, sha256, size_bytes, is_executable)`
  await sql`
    delete from skill_versions
    where skill_id = ${skill.id} and team_id = ${teamId} and version <= ${version - versionsMax}::int`
  return one(sql<Skill>`
    with s as (
      update skills set name = ${head.name}, description = ${head.description}, version = ${version}, updated_at = now()
      where id = ${skill.id} and team_id = ${teamId}
      returning *)
    select ${skillColumns} from s`)
}
