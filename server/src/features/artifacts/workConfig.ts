// The configs of an artifact's hidden agent: one that follows a procedure as it is written, and one that asks a model.
import type { Sql } from '../../base/db.ts'
import type { Context } from '../../kit/context.ts'
import { registryOf } from '../../kit/registry.ts'
import { engineOf } from '../../engine/engine.ts'
import { chatInstructions } from './chatInstructions.ts'

/** The tool sets that steps and models may use, where the server has them. */
const plugins = ['artifacts', 'operations', 'http', 'human', 'schedule', 'sandbox', 'memory', 'browser']

/** How long the work on a page may take, waiting excluded. */
const durationMaxS = 900

interface Wanted {
  procedure: string
  model: string
  connectionIds: string[]
}

function configOf(toolSets: readonly { name: string }[], { procedure, model, connectionIds }: Wanted): object {
  const known = new Set(toolSets.map(({ name }) => name))
  return {
    version: 'v2',
    data: {
      input: procedure,
      models: { agent: { model } },
      plugins: plugins.filter((name) => known.has(name)),
      connections: connectionIds,
      limits: { max_duration_s: durationMaxS },
    },
  }
}

/** Runs the steps and shows the template. No model is asked. */
export const pageConfig = (context: Context, source: string, connectionIds: string[]): object =>
  pageConfigWith(registryOf(context).toolSets, source, connectionIds)

/** The same before there is a context. */
export const pageConfigWith = (
  toolSets: readonly { name: string }[],
  source: string,
  connectionIds: string[],
): object => configOf(toolSets, { procedure: source, model: 'builtin:runbook', connectionIds })

/** The default model of the team, or of the server, which answers messages; undefined where there is none. */
export async function chatModelOf(context: Context, teamId: string, sql: Sql): Promise<string | undefined> {
  const { defaultModel } = await engineOf(context).models.of(teamId, sql)
  return defaultModel.startsWith('builtin:') ? undefined : defaultModel
}

export const chatConfig = (context: Context, model: string, connectionIds: string[]): object =>
  configOf(registryOf(context).toolSets, { procedure: chatInstructions, model, connectionIds })
