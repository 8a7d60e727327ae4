// Makes a skill, or its next version, from a zip archive.
import { readZip, ZipRefused, type ZipEntry } from '../../base/zipFile.ts'
import { blobsFor } from '../../kit/blobs.ts'
import { operation } from '../../kit/operation.ts'
import { Type, wrapped } from '../../kit/schema.ts'
import { headOf, saveByName, skillBounds, storeFiles } from './saveVersion.ts'
import { Skill } from './skill.ts'

/** 10 MiB in base64. */
const archiveMax = Math.ceil((10 * 1024 * 1024) / 3) * 4

/** A SKILL.md alone. */
const example =
  'UEsDBBQAAAgIAAAAIQBdCviUSwAAAFcAAAAIAAAAU0tJTEwubWQ1yrsNgDAMBcDeU3gBZ4CMQUMdkQexRD5yTMH2SCDqOxGhlioi1968nLcYRjenjLmZDtfeIq+mjsle8Df+WiARoQUpv7jrcRlmoAdQSwECFAMUAAAICAAAACEAXQr4lEsAAABXAAAACAAAAAAAAAAAAAAApIEAAAAAU0tJTEwubWRQSwUGAAAAAAEAAQA2AAAAcQAAAAAA'

export const uploadSkill = operation({
  id: 'uploadSkill',
  client: 'skills.upload',
  route: 'POST /v2/teams/:teamId/skills/upload',
  summary: 'Upload a skill',
  description:
    'A zip archive with SKILL.md at its top or in its only folder. If the team has a skill of the name that SKILL.md says, it gets another ' +
    'version. An archive with a path that leads elsewhere, a link, or anything else that is not a plain file is refused as a whole.',
  scope: 'agents:write',
  body: Type.Object(
    {
      archive: Type.String({
        minLength: 1,
        maxLength: archiveMax,
        description: 'The zip archive in base64, up to 10 MiB.',
      }),
    },
    { examples: [{ archive: example }] },
  ),
  bodyBytesMax: archiveMax + 1024,
  status: 201,
  answer: wrapped('skill', 'skill_id', Skill),
  errors: ['conflict', 'invalid_request', 'entitlement_exceeded'],
  async prepare({ body, sql, context, fail }) {
    try {
      const files = withoutTopFolder(await readZip(Buffer.from(body.archive, 'base64'), skillBounds))
      const head = headOf(files)
      await blobsFor(context, sql).bring(files.map(({ bytes }) => bytes))
      return { files, head }
    } catch (error) {
      if (error instanceof ZipRefused) return fail('invalid_request', error.message)
      throw error
    }
  },
  async handler({ team, caller, prepared, sql, context }) {
    const files = await storeFiles(context, sql, prepared.files)
    const wanted = { teamId: team.id, memberId: caller.member_id, files, head: prepared.head }
    const skill = await saveByName(context, sql, wanted)
    return { skill, skill_id: skill.id }
  },
})

/** Most programs pack the folder itself; some add one with facts about the files. */
function withoutTopFolder(entries: ZipEntry[]): ZipEntry[] {
  const own = entries.filter(({ path }) => !path.startsWith('__MACOSX/'))
  const top = own[0]?.path.split('/')[0] ?? ''
  const isBelow = own.every(({ path }) => path.startsWith(`${top}/`))
  return isBelow ? own.map((entry) => ({ ...entry, path: entry.path.slice(top.length + 1) })) : own
}
