// The beginning of a SKILL.md: its name and description, between two lines of dashes.
import { parse, YAMLParseError } from 'yaml'
import { isRecord } from '../../base/isRecord.ts'

const skillName = '^[a-z0-9][a-z0-9-]{0,63}$'
const descriptionMax = 1024
const headMax = 16 * 1024

export interface SkillHead {
  name: string
  description: string
}

/** What SKILL.md says of the skill, or a sentence that says what is wrong with it. */
export function readFrontMatter(text: string): SkillHead | { problem: string } {
  const head = /^\uFEFF?---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/.exec(text.slice(0, headMax))?.[1]
  if (head === undefined) {
    return { problem: 'SKILL.md must begin with a line ---, then name: and description:, then another line ---.' }
  }
  const fields = readYaml(head)
  if ('problem' in fields) return { problem: fields.problem as string }
  const { name, description } = fields
  if (typeof name !== 'string' || !new RegExp(skillName).test(name)) {
    return { problem: 'name in SKILL.md must be up to 64 small letters, digits and hyphens, such as monthly-report.' }
  }
  if (typeof description !== 'string' || description.trim() === '' || description.length > descriptionMax) {
    return {
      problem: `description in SKILL.md must be a text of at most ${descriptionMax} characters that says what the skill is for.`,
    }
  }
  return { name, description: description.trim().replaceAll(/\s+/g, ' ') }
}

/** Without aliases and own types: what a tenant wrote must not grow while it is read. */
function readYaml(head: string): Record<string, unknown> {
  try {
    const read: unknown = parse(head, { schema: 'core', maxAliasCount: 0, logLevel: 'error' })
    return isRecord(read)
      ? read
      : { problem: 'The front matter of SKILL.md must have the fields name and description.' }
  } catch (error) {
    const reason = error instanceof YAMLParseError ? (error.message.split('\n')[0] ?? '') : 'it cannot be read'
    return { problem: `The front matter of SKILL.md is not YAML: ${reason.slice(0, 200)}` }
  }
}
