// Makes an agent with its first build, which is live at once so that a run can start.
import { one } from '../../base/db.ts'
import { isWithoutProcedure } from '../../engine/builds/buildConfig.ts'
import { operation } from '../../kit/operation.ts'
import { Id, nullable, Type, type Static } from '../../kit/schema.ts'
import { spelled } from '../../kit/spellings.ts'
import { Agent, AgentDescription, AgentName, findAgent, insertAgent, MemoryEnabled } from './agent.ts'
import { agentLimitProblem } from './agentLimit.ts'
import { Build, BuildConfig, BuildName, insertBuild, requireSource, SourceBuildId } from './builds/build.ts'
import { procedureTemplate } from './builds/procedureTemplate.ts'
import { requireUsable } from './builds/usableConfig.ts'

const Body = Type.Object(
  {
    name: Type.Optional(AgentName),
    description: Type.Optional(AgentDescription),
    memory_enabled: spelled(Type.Optional(MemoryEnabled), { names: ['agentic_memory_enabled'] }),
    instructions: Type.Optional(
      Type.String({
        maxLength: 262_144,
        description: 'The operating procedure: short for a config with this `input`.',
      }),
    ),
    model: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          '`provider:model`, beside `instructions` or alone; of plain names (`claude-…`, `gpt-…`, `gemini-…`) the provider may be left out.',
      }),
    ),
    build: Type.Optional(Type.Object({ name: Type.Optional(BuildName), config: BuildConfig })),
    source_build_id: Type.Optional(nullable(SourceBuildId)),
  },
  {
    examples: [
      {
        name: 'Invoice triage',
        description: 'Sorts incoming invoices and asks about unclear ones.',
        memory_enabled: true,
        build: { name: 'Invoice triage', config: { version: 'v2', data: { input: procedureTemplate } } },
      },
    ],
  },
)

const shortNames = { 'data.input': 'instructions', 'data.models.agent.model': 'model', 'data.models.agent': 'model' }

export const createAgent = operation({
  id: 'createAgent',
  client: 'agents.create',
  route: 'POST /v2/teams/:teamId/agents',
  summary: 'Make an agent',
  description:
    'Give one of: `instructions` and `model`, `build`, or `source_build_id` (a copy). The first build is live at once. Without a ' +
    'procedure the agent gets a small one that runs as it is and is meant to be edited.',
  scope: 'agents:write',
  body: Body,
  status: 201,
  answer: Type.Object({ agent: Agent, build: Build, agent_id: Id, build_id: Id }),
  errors: ['invalid_request', 'not_found', 'entitlement_exceeded'],
  async prepare({ team, body, context, sql, fail }) {
    const isShort = body.instructions !== undefined || body.model !== undefined
    if ([isShort, body.build, typeof body.source_build_id === 'string'].filter(Boolean).length > 1) {
      return fail('invalid_request', 'Give only one of: instructions with model, build, source_build_id.')
    }
    if (typeof body.source_build_id === 'string') {
      const source = await requireSource(sql, body.source_build_id, team.id, fail)
      await requireUsable(source.config, { sql, context, team, fail })
      return { config: source.config, parentBuildId: source.id }
    }
    const config = withProcedure(body.build?.config ?? configOf(body))
    await requireUsable(config, { sql, context, team, fail }, isShort ? shortNames : {})
    return { config, parentBuildId: null }
  },
  async handler({ team, caller, body, context, prepared, sql, fail }) {
    const problem = await agentLimitProblem(context, sql, team.id)
    if (problem !== undefined) fail('entitlement_exceeded', problem)
    const id = await insertAgent(sql, {
      teamId: team.id,
      name: body.name ?? 'Untitled agent',
      description: body.description ?? null,
      memoryEnabled: body.memory_enabled ?? true,
      createdBy: caller.member_id,
    })
    const build = await insertBuild(sql, {
      ...prepared,
      teamId: team.id,
      agentId: id,
      name: body.build?.name,
      status: 'live',
      createdBy: caller.member_id,
    })
    const agent = await one(findAgent(sql, id, team.id))
    return { agent, build: build!, agent_id: id, build_id: build!.id }
  },
})

function configOf({ instructions, model }: Static<typeof Body>): BuildConfig {
  return {
    version: 'v2',
    data: {
      ...(instructions !== undefined && { input: instructions }),
      ...(model !== undefined && { models: { agent: { model } } }),
    },
  }
}

/** The template is used only when no procedure is given: a procedure that cannot be read is refused and never replaced. */
const withProcedure = (config: BuildConfig): BuildConfig =>
  isWithoutProcedure(config) ? { ...config, data: { ...config.data, input: procedureTemplate } } : config
