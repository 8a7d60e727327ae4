// How runs use skills: they see names and descriptions, read the rest by a tool, and have the files in their sandbox.
import { isUtf8 } from 'node:buffer'
import type { Sql } from '../../base/db.ts'
import { readRunConfig } from '../../engine/builds/loadBuild.ts'
import { blobsOfRuns } from '../../kit/blobs.ts'
import type { Context } from '../../kit/context.ts'
import type { ToolSet } from '../../kit/feature.ts'
import type { GivenTo, LaidFile, NamedInBuilds } from '../../kit/given.ts'
import { Type } from '../../kit/schema.ts'
import { outsideTool, type Outcome } from '../../kit/tool.ts'
import { filesOfVersion, type SkillFile } from './skill.ts'

interface GivenSkill {
  /** The word by which the build names it. */
  word: string
  id: string
  team_id: string
  name: string
  description: string
  version: number
}

/** In the version that the build names, else in the newest. What is gone is left out. */
async function skillsNamed(sql: Sql, teamId: string, wanted: string[]): Promise<GivenSkill[]> {
  const words = wanted.map((word) => /^([^@]+)(?:@(\d{1,9}))?$/.exec(word))
  const names = words.map((match) => match?.[1] ?? '')
  const versions = words.map((match) => (match?.[2] === undefined ? null : Number(match[2])))
  return sql<GivenSkill>`
    select w.word, s.id, s.team_id, s.name, v.description, v.version
    from unnest(${wanted}::text[], ${names}::text[], ${versions}::int[]) with ordinality as w (word, name, version, n)
    join skills s on s.team_id = ${teamId} and (s.name = w.name or s.id::text = w.name)
    join skill_versions v on v.skill_id = s.id and v.team_id = s.team_id and v.version = coalesce(w.version, s.version)
    order by w.n`
}

export const skillsInBuilds: NamedInBuilds = {
  kind: 'skills',
  noun: 'skill',
  find: async ({ sql, teamId, wanted }) =>
    (await skillsNamed(sql, teamId, wanted)).map(({ id, word }) => ({ id, name: word })),
}

/** One skill may be named twice, by name and by id: the first counts. */
async function skillsOf(sql: Sql, teamId: string, wanted: string[]): Promise<GivenSkill[]> {
  const all = await skillsNamed(sql, teamId, wanted)
  return [...new Map(all.toReversed().map((one) => [one.name, one])).values()].toReversed()
}

export async function laidSkills({ context, run, given }: GivenTo): Promise<LaidFile[]> {
  if (given.skills.length === 0) return []
  const { sql } = context.db
  const skills = await skillsOf(sql, run.team_id, given.skills)
  const files = await Promise.all(skills.map((skill) => filesOfVersion(sql, skill, skill.version)))
  return skills.flatMap(({ name }, index) =>
    files[index]!.map(({ path, ...file }) => ({ path: `/skills/${name}/${path}`, ...file })),
  )
}

/** How much text a model gets to read at once. */
const readBytesMax = 64 * 1024

export async function skillTools({ context, run, given }: GivenTo): Promise<ToolSet[]> {
  if (given.skills.length === 0) return []
  const skills = await skillsOf(context.db.sql, run.team_id, given.skills)
  if (skills.length === 0) return []
  const list = skills.map(({ name, description }) => `- ${name}: ${description}`).join('\n')
  const skillRead = outsideTool({
    name: 'skill_read',
    description:
      'Read a skill before you do what it is for: its instructions (SKILL.md), or another of its files. Commands in the sandbox find its ' +
      `files in /skills/<name>. The skills are:\n${list}`,
    input: Type.Object({
      skill: Type.String({ minLength: 1, maxLength: 200, description: 'The name of the skill.' }),
      path: Type.Optional(Type.String({ minLength: 1, maxLength: 512, description: 'SKILL.md unless given.' })),
    }),
    onDoubt: 'retry',
    leaves: 'never',
    timeoutMs: 30_000,
    async execute(call, outside) {
      const { sql } = outside.context.db
      const { given: now } = await readRunConfig(sql, call.run)
      const { skill: name, path = 'SKILL.md' } = call.input
      const all = await skillsOf(sql, call.run.team_id, now.skills)
      const skill = all.find((one) => one.name === name)
      if (!skill) {
        const names = all.map((one) => one.name).join(', ') || 'none'
        return { error: `The build gives this run no skill named ${JSON.stringify(name)}. There are: ${names}.` }
      }
      return read(outside.context, sql, skill, await filesOfVersion(sql, skill, skill.version), path)
    },
  })
  const description = 'Reads skills of the team.'
  return [{ name: 'given:skills', title: 'Skills', description, provider: null, tools: [skillRead] }]
}

async function read(context: Context, sql: Sql, skill: GivenSkill, files: SkillFile[], path: string): Promise<Outcome> {
  const file = files.find((one) => one.path === path)
  const paths = files.map((one) => one.path)
  if (!file)
    return { error: `The skill ${skill.name} has no file ${JSON.stringify(path)}. It has: ${paths.join(', ')}.` }
  const bytes = (await blobsOfRuns(context, sql).get([file.sha256], readBytesMax)).get(file.sha256) ?? Buffer.alloc(0)
  if (bytes.includes(0) || (!isUtf8(bytes) && file.size_bytes <= readBytesMax)) {
    return { error: `The file is not text. Use it in a command: it is /skills/${skill.name}/${path} in the sandbox.` }
  }
  const isCut = file.size_bytes > bytes.length
  return {
    result: {
      skill: skill.name,
      version: skill.version,
      path,
      content: bytes.toString().replace(/�$/, ''),
      ...(isCut && { truncated: true }),
      files: paths,
    },
  }
}
