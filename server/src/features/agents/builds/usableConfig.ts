// Whether this server can run a config: asked before one is saved and again before a build goes live.
import type { Sql } from '../../../base/db.ts'
import { isId } from '../../../base/ids.ts'
import { ExpressionProblem, parseExpression } from '../../../base/expression/expression.ts'
import { parseRunbook } from '../../../drivers/model/runbook/parse.ts'
import { approvalRoots } from '../../../engine/builds/approvalPolicy.ts'
import { parseBuildConfig, problemsOf, type Problem } from '../../../engine/builds/buildConfig.ts'
import { engineOf } from '../../../engine/engine.ts'
import type { Context } from '../../../kit/context.ts'
import { joinProblems } from '../../../kit/problems.ts'
import { teamTimeOf } from '../../../kit/teamTime.ts'
import type { BuildConfig } from './build.ts'
import { namedInBuilds, registryOf } from '../../../kit/registry.ts'
import { loginsInProcedure } from './loginsInProcedure.ts'
import { secretsInProcedure } from './secretsInProcedure.ts'

interface Asked {
  sql: Sql
  context: Context
  team: { id: string }
  fail: (code: 'invalid_request', message: string) => never
}

/** Other names for paths in the config, for a body that has a short form of it. */
type Names = Record<string, string>

/** Refuses with everything that is wrong at once. */
export async function requireUsable(config: BuildConfig, asked: Asked, names: Names = {}): Promise<void> {
  const reason = await whyUnusable(config, asked, names)
  if (reason !== undefined) asked.fail('invalid_request', reason)
}

/** Everything that is wrong at once, as a sentence. */
export async function whyUnusable(
  config: BuildConfig,
  asked: Omit<Asked, 'fail'>,
  names: Names = {},
): Promise<string | undefined> {
  const problems = await findProblems(config, asked)
  return problems.length > 0 ? sentenceOf(problems, names) : undefined
}

/** Every reason why this server could not run it. */
export async function findProblems(config: BuildConfig, asked: Omit<Asked, 'fail'>): Promise<Problem[]> {
  const { context, team, sql } = asked
  const models = await engineOf(context).models.of(team.id, sql)
  const known = {
    plugins: registryOf(context).toolSets.map(({ name }) => name),
    defaultModel: models.defaultModel,
    isAllowed: (model: string) => models.isAllowed(model),
    runbookProblems: (procedure: string) => parseRunbook(procedure).problems,
    expressionProblem,
    hasPrice: (model: string) => engineOf(context).models.priceOf(model) !== undefined,
  }
  // a procedure of a megabyte takes a while
  const problems = teamTimeOf(context).piece(team.id, () => problemsOf(config, known))
  problems.push(...(await idProblems(config, asked)), ...(await givenProblems(config, asked)))
  return problems
}

function expressionProblem(text: string): string | undefined {
  try {
    parseExpression(text, approvalRoots)
    return undefined
  } catch (error) {
    if (error instanceof ExpressionProblem) return error.message
    throw error
  }
}

async function idProblems(config: BuildConfig, { sql, team }: Omit<Asked, 'fail'>): Promise<Problem[]> {
  const { connections, subAgents } = parseBuildConfig(config)
  if (connections.length + subAgents.length === 0) return []
  const found = await sql<{ id: string; noun: 'agent' | 'connection' }>`
    select id, 'agent' as noun from agents
    where team_id = ${team.id} and id = any(${subAgents.filter(isId)}::uuid[]) and deleted_at is null and not is_hidden
    union all select id, 'connection' from connections
    where team_id = ${team.id} and id = any(${connections.filter(isId)}::uuid[])`
  const isKnown = (id: string, noun: string) => found.some((one) => one.id === id && one.noun === noun)
  return [
    ...connections
      .filter((id) => !isKnown(id, 'connection'))
      .map((id) => namesNothing('data.connections', id, 'connection')),
    ...subAgents.filter((id) => !isKnown(id, 'agent')).map((id) => namesNothing('data.subAgents', id, 'agent')),
  ]
}

/** Secrets, logins, skills and files that the team does not have. */
async function givenProblems(config: BuildConfig, asked: Omit<Asked, 'fail'>): Promise<Problem[]> {
  const { sql, context, team } = asked
  const { given, procedure } = parseBuildConfig(config)
  const problems: Problem[] = []
  for (const { kind, noun, find } of namedInBuilds(context)) {
    const wanted = given[kind]
    if (wanted.length === 0) continue
    const found = await find({ sql, teamId: team.id, wanted })
    const missing = wanted.filter((word) => !found.some(({ id, name }) => word === id || word === name))
    problems.push(
      ...missing.map((word) => ({
        path: `data.${kind}`,
        message: `the team has no ${noun} with the name or id ${JSON.stringify(word)}`,
      })),
    )
  }
  const named = { sql, context, teamId: team.id, given, procedure }
  return [...problems, ...(await secretsInProcedure(named)), ...(await loginsInProcedure(named))]
}

const namesNothing = (path: string, id: string, noun: string): Problem => ({
  path,
  message: `the team has no ${noun} with the id ${JSON.stringify(id)}`,
})

function sentenceOf(problems: Problem[], names: Names): string {
  const sentences = problems.map(({ path, message }) => `${names[path] ?? path}: ${message.replace(/\.$/, '')}.`)
  return joinProblems(sentences, 'The config cannot be used.')
}
