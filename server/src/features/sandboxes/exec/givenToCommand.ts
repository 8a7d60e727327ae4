// What the build of a run gives to its commands: variables in their environment, and files beside the workspace.
import { scrubberOf, type Scrub } from '../../../base/knownSecrets.ts'
import { readRunConfig } from '../../../engine/builds/loadBuild.ts'
import type { Context } from '../../../kit/context.ts'
import type { GivenTo } from '../../../kit/given.ts'
import { hiddenValuesOf, secretUseOf } from '../../../kit/registry.ts'
import type { CallingRun } from '../../../kit/tool.ts'

export async function readGiven(context: Context, run: CallingRun): Promise<GivenTo> {
  const { given } = await readRunConfig(context.db.sql, run)
  return { context, run, given }
}

interface SecretsForCommand {
  env: Record<string, string>
  /** Cuts the secrets out of the files that the command leaves; undefined: it gets none. */
  scrub: Scrub | undefined
}

/** Read for every command, so that a new value counts from the next one on. */
export async function secretsForCommand(asked: GivenTo): Promise<SecretsForCommand> {
  const use = asked.given.secrets.length > 0 ? secretUseOf(asked.context) : undefined
  if (!use) return { env: {}, scrub: undefined }
  return { env: await use.variables(asked), scrub: scrubberOf(await hiddenValuesOf(asked)) }
}
