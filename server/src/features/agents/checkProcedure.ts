// Checks a procedure without saving it: what is wrong where, and which steps it has. Editors ask it as one types.
import { blockKinds } from '../../drivers/model/runbook/block.ts'
import { parseRunbook, type Block, type RunbookProblem } from '../../drivers/model/runbook/parse.ts'
import { inputsOf } from '../../drivers/model/runbook/inputs.ts'
import { writtenArguments } from '../../drivers/model/runbook/steps.ts'
import { procedureBytesMax } from '../../engine/builds/buildConfig.ts'
import { afterCrashInCall, callOutcomes } from '../../engine/driving/afterCrash.ts'
import type { Context } from '../../kit/context.ts'
import { operation } from '../../kit/operation.ts'
import { registryOf } from '../../kit/registry.ts'
import { named, nullable, oneOf, Type, type Static } from '../../kit/schema.ts'
import { teamTimeOf } from '../../kit/teamTime.ts'
import type { Tool } from '../../kit/tool.ts'
import { BuildConfig } from './builds/build.ts'
import { ProcedureInputs } from './builds/procedureInputs.ts'
import { findProblems } from './builds/usableConfig.ts'
import { procedureTemplate } from './builds/procedureTemplate.ts'

/** How many steps an answer shows. */
const stepsMax = 1000

const whole = Type.Integer({ minimum: 1 })

const ProcedureProblem = named(
  'ProcedureProblem',
  Type.Object({
    line: Type.Integer({ minimum: 1, description: 'From 1.' }),
    column: whole,
    end_column: Type.Integer({ minimum: 1, description: 'Not included.' }),
    severity: oneOf(['error', 'warning'], { description: 'A build with an error cannot be saved.' }),
    message: Type.String(),
    fix: nullable(
      named(
        'ProcedureFix',
        Type.Object(
          {
            title: Type.String({ examples: ['Use http'] }),
            line: whole,
            column: whole,
            end_column: whole,
            text: Type.String({ description: 'What to write in place of that part of the line.' }),
          },
          { description: 'Where a word is nearly another one: what was most likely meant.' },
        ),
      ),
    ),
  }),
)
type ProcedureProblem = Static<typeof ProcedureProblem>

const ProcedureStep = named(
  'ProcedureStep',
  Type.Object({
    id: Type.String({ description: 'What later steps call it.', examples: ['step_1'] }),
    line: whole,
    kind: oneOf(blockKinds),
    tool: nullable(Type.String({ description: 'The tool that it calls; null: it gives the output.' })),
    is_conditional: Type.Boolean(),
    on_error: oneOf(['fail', 'continue', 'ask']),
    retry: Type.Integer({ minimum: 0 }),
    reads: Type.Array(Type.String(), { description: 'The ids of the steps whose results it uses.' }),
    after_crash: nullable(
      oneOf(callOutcomes, {
        description:
          'What happens if a process dies during the step and nobody knows the outcome of its call. `kept`: it happens once. `repeated`: it is ' +
          'made again, which does no harm. `asks`: a person decides. Null: not known before a run, as for tools of connections.',
      }),
    ),
  }),
)

export const checkProcedure = operation({
  id: 'checkProcedure',
  client: 'agents.checkProcedure',
  route: 'POST /v2/teams/:teamId/procedure-checks',
  summary: 'Check a procedure',
  description:
    'Reads a procedure as a run would, and saves nothing: its problems at their lines (at most 100 errors), with a fix where a word is nearly ' +
    'right, its steps in their order, and what they read of the message. With ' +
    '`config`, the problems of the config come too.',
  scope: 'agents:read',
  onlyReads: true,
  body: Type.Object(
    {
      input: Type.String({ maxLength: procedureBytesMax, description: 'The procedure: Markdown text.' }),
      config: Type.Optional(BuildConfig),
    },
    { examples: [{ input: procedureTemplate }] },
  ),
  status: 200,
  answer: Type.Object({
    problems: Type.Array(ProcedureProblem),
    steps: Type.Array(ProcedureStep, { description: `At most ${stepsMax}.` }),
    steps_total: Type.Integer({ minimum: 0 }),
    inputs: ProcedureInputs,
    config_problems: Type.Array(Type.Object({ path: Type.String(), message: Type.String() })),
  }),
  // before the transaction: nothing is written
  async prepare({ team, body, sql, context }) {
    const { input, config } = body
    const { toolSets } = registryOf(context)
    const { blocks, problems, warnings, steps, inputs } = teamTimeOf(context).piece(team.id, () => {
      const parsed = parseRunbook(input)
      const tools = new Map(toolSets.flatMap(({ tools: ofSet }) => ofSet.map((tool) => [tool.name, tool])))
      const read = parsed.blocks.slice(0, stepsMax).map((block) => stepOf(block, tools, context))
      return { ...parsed, steps: read, inputs: inputsOf(parsed.blocks) }
    })
    const lines = input.split(/\r\n?|\n/)
    const tooLarge = Buffer.byteLength(input) > procedureBytesMax ? [{ line: 1, message: tooLargeMessage }] : []
    const found = [
      ...[...tooLarge, ...problems].map((problem) => placed(problem, lines, 'error')),
      ...warnings.map((problem) => placed(problem, lines, 'warning')),
    ]
    // the procedure itself has been read
    const rest = config && { ...config, data: { ...config.data, input: '' } }
    return {
      problems: found.toSorted((one, other) => one.line - other.line),
      steps,
      steps_total: blocks.length,
      inputs,
      config_problems: rest ? await findProblems(rest, { sql, context, team }) : [],
    }
  },
  handler: async ({ prepared }) => prepared,
})

const tooLargeMessage = `The procedure is larger than ${procedureBytesMax / 1024} KiB. Move parts of it into other agents.`

/** The parser knows the word, or the line: then a mark below the whole text of the line shows it. */
function placed(
  { line, message, fix }: RunbookProblem,
  lines: string[],
  severity: ProcedureProblem['severity'],
): ProcedureProblem {
  if (fix) {
    const word = { line, column: fix.column, end_column: fix.endColumn }
    return { ...word, severity, message, fix: { title: `Use ${fix.text}`, ...word, text: fix.text } }
  }
  const text = lines[line - 1] ?? ''
  const column = text.length - text.trimStart().length + 1
  return { line, column, end_column: Math.max(column + 1, text.trimEnd().length + 1), severity, message, fix: null }
}

function stepOf(block: Block, tools: ReadonlyMap<string, Tool>, context: Context): Static<typeof ProcedureStep> {
  const { id, line, kind, tool, condition, onError, retry, reads } = block
  const known = tool === null ? undefined : tools.get(tool)
  return {
    id,
    line,
    kind,
    tool,
    is_conditional: condition !== null,
    on_error: onError,
    retry,
    reads,
    // the output is written with the end of the run
    after_crash:
      tool === null ? 'kept' : known ? afterCrashInCall(known, () => writtenArguments(block), context) : null,
  }
}
