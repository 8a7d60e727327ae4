// An answer as a proposal: the whole config with it, what it changes, what would start runs, and what is wrong with it.
import type { Sql } from '../../../base/db.ts'
import { secretLikeLines } from '../../../base/secretLike.ts'
import { parseBuildConfig, type Problem } from '../../../engine/builds/buildConfig.ts'
import type { Context } from '../../../kit/context.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'
import type { BuildConfig } from '../builds/build.ts'
import { diffTexts } from '../builds/buildDiff.ts'
import { findProblems } from '../builds/usableConfig.ts'
import type { ProposedTrigger } from './builderRun.ts'
import { changedKeys } from './draftSetup.ts'
import type { HeldBuilderRun } from './heldBuilderRun.ts'

interface Proposal {
  config: BuildConfig
  /** What changes in the procedure. Empty: nothing. */
  diff: string
  triggers: ProposedTrigger[]
  /** Whether it changes anything. */
  isNew: boolean
  /** Problems of what it changes. Other problems of the config were there before, and are reported when it is accepted. */
  problems: Problem[]
}

interface Wanted {
  procedure: string
  /** `data` of the config, but for the procedure; absent: as it is. */
  data?: Record<string, unknown>
  triggers?: ProposedTrigger[]
}

export const procedureOf = ({ checkpoint_config }: HeldBuilderRun): string =>
  parseBuildConfig(checkpoint_config).procedure

/** A procedure that was a list of messages becomes one text. */
export async function proposalOf(
  held: HeldBuilderRun,
  { procedure, data = held.checkpoint_config.data, triggers = [] }: Wanted,
  { context, sql }: { context: Context; sql: Sql },
): Promise<Proposal> {
  const { checkpoint_config, team_id } = held
  const config = { ...checkpoint_config, data: { ...data, input: procedure } }
  const changed = changedKeys(checkpoint_config, data)
  const problems = await findProblems(config, { context, sql, team: { id: team_id } })
  const values = teamTimeOf(context).piece(team_id, () => valuesIn(held, procedure))
  const diff = diffTexts({ name: 'current', text: procedureOf(held) }, { name: 'proposed', text: procedure })
  return {
    config,
    diff,
    triggers,
    isNew: diff !== '' || changed.length > 0 || triggers.length > 0,
    problems: [
      ...problems.filter(({ path }) => path === 'config' || ['input', ...changed].some((key) => isIn(path, key))),
      ...values,
    ],
  }
}

const isIn = (path: string, key: string): boolean =>
  path === `data.${key}` || path.startsWith(`data.${key}.`) || path.startsWith(`data.${key}[`)

/** A draft names secrets and holds none. Lines that were there before were somebody else's decision. */
function valuesIn(held: HeldBuilderRun, procedure: string): Problem[] {
  const before = new Set(procedureOf(held).split('\n'))
  const lines = procedure.split('\n')
  return secretLikeLines(procedure)
    .filter((line) => !before.has(lines[line - 1] ?? ''))
    .map((line) => ({
      path: 'data.input',
      message:
        `line ${line}: it holds what looks like the value of a secret, or the mark of one that was cut out. A draft never holds a value: ` +
        'write {{ secrets.SET.KEY }} in a header, a body or the arguments of a tool, and name the secret.',
    }))
}

/** Something to correct, as the one who wrote it reads it. */
export const problemLines = (problems: Problem[]): string =>
  problems.map(({ path, message }) => (path === 'data.input' ? message : `${path}: ${message}`)).join('\n')
