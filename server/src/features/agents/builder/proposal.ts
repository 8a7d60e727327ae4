// A procedure as a proposal: the whole config with it, what it changes, and what is wrong with it.
import type { Sql } from '../../../base/db.ts'
import { parseBuildConfig, type Problem } from '../../../engine/builds/buildConfig.ts'
import type { Context } from '../../../kit/context.ts'
import type { BuildConfig } from '../builds/build.ts'
import { diffTexts } from '../builds/buildDiff.ts'
import type { HeldBuilderRun } from './heldBuilderRun.ts'
import { findProblems } from '../builds/usableConfig.ts'

interface Proposal {
  config: BuildConfig
  /** Empty: it changes nothing. */
  diff: string
  /** Problems of the procedure alone. Other problems of the config were there before, and are reported when it is accepted. */
  problems: Problem[]
}

export const procedureOf = ({ checkpoint_config }: HeldBuilderRun): string =>
  parseBuildConfig(checkpoint_config).procedure

/** A procedure that was a list of messages becomes one text. */
export async function proposalOf(
  held: HeldBuilderRun,
  procedure: string,
  { context, sql }: { context: Context; sql: Sql },
): Promise<Proposal> {
  const { checkpoint_config, team_id } = held
  const config = { ...checkpoint_config, data: { ...checkpoint_config.data, input: procedure } }
  const problems = await findProblems(config, { context, sql, team: { id: team_id } })
  return {
    config,
    diff: diffTexts({ name: 'current', text: procedureOf(held) }, { name: 'proposed', text: procedure }),
    problems: problems.filter(({ path }) => path === 'config' || path.startsWith('data.input')),
  }
}

/** Something to correct, as the one who wrote it reads it. */
export const problemLines = (problems: Problem[]): string =>
  problems.map(({ path, message }) => (path === 'data.input' ? message : `${path}: ${message}`)).join('\n')
