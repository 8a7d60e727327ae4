// Tools that ask a person. The run waits as rows only; the answer, a cancel or the clock wakes it.
import type { ToolSet } from '../../kit/feature.ts'
import { oneOf, Type } from '../../kit/schema.ts'
import { onTimeouts } from '../../kit/states.ts'
import { waitingTool, type Begun, type Outcome } from '../../kit/tool.ts'
import { problemOfForm } from '../requests/formSchema.ts'
import { openRequest, requestOf, type HumanRequest, type RequestWanted } from '../requests/humanRequests.ts'

const Timing = {
  expires_in_s: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 31_536_000, description: 'Seconds after which it ends by on_timeout.' }),
  ),
  on_timeout: Type.Optional(
    oneOf(onTimeouts, {
      description: 'What no answer in time counts as; fail unless given.',
    }),
  ),
}
const Title = Type.String({ minLength: 1, maxLength: 300, description: 'One line: what the person decides.' })
const Description = Type.Optional(
  Type.String({ maxLength: 20_000, description: 'What they need to know, in Markdown.' }),
)

const Question = Type.Object({
  question: Type.String({ minLength: 1, maxLength: 1000 }),
  header: Type.Optional(Type.String({ maxLength: 80 })),
  options: Type.Optional(
    Type.Array(
      Type.Object({
        label: Type.String({ minLength: 1, maxLength: 200 }),
        description: Type.Optional(Type.String({ maxLength: 1000 })),
      }),
      { minItems: 1, maxItems: 50 },
    ),
  ),
  multi_select: Type.Optional(Type.Boolean()),
})

type Call = Parameters<typeof openRequest>[1]

async function open(sql: Parameters<typeof openRequest>[0], call: Call, wanted: RequestWanted): Promise<Begun> {
  const request = await openRequest(sql, call, wanted)
  return {
    waiting_on: { kind: 'human', detail: { human_request_id: request.id, title: request.title } },
    events: [{ event: 'human_request.created', data: { human_request: request } }],
  }
}

/** The outcome that a closed request gives to its call. */
function outcomeOf(request: HumanRequest, answer: (response: Record<string, unknown>) => object): Outcome | undefined {
  if (request.status === 'pending') return undefined
  if (request.status === 'cancelled') return { error: 'The request to a person was cancelled.' }
  if (request.status === 'expired' && request.on_timeout === 'fail') return { error: 'Nobody answered in time.' }
  const response = request.response ?? {}
  const said = { comment: response['comment'] ?? null, responded_by: request.responded_by }
  return { result: { ...answer(response), ...said, timed_out: request.status === 'expired' } }
}

const resolveBy =
  (answer: (response: Record<string, unknown>) => object) =>
  async (call: Call, sql: Parameters<typeof openRequest>[0]): Promise<Outcome | undefined> => {
    const request = await requestOf(sql, call.run.id, call.step)
    return request && outcomeOf(request, answer)
  }

const humanApprove = waitingTool({
  name: 'human_approve',
  description: 'Ask a person to approve something before you continue; the result says whether they did.',
  input: Type.Object({ title: Title, description: Description, ...Timing }),
  waitsFor: 'human',
  begin: (call, sql) =>
    open(sql, call, {
      ...call.input,
      type: 'approval',
      action: { tool: 'human_approve', arguments: call.input },
    }),
  resolve: resolveBy((response) => ({ approved: response['approved'] === true })),
})

const humanAsk = waitingTool({
  name: 'human_ask',
  description: 'Ask a person one or more questions, or let them fill in a form; the result holds their answers.',
  input: Type.Object({
    title: Title,
    description: Description,
    questions: Type.Optional(Type.Array(Question, { minItems: 1, maxItems: 20 })),
    form_schema: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description: 'JSON Schema of an object: a form instead of questions.',
      }),
    ),
    ...Timing,
  }),
  waitsFor: 'human',
  async begin(call, sql) {
    const { input } = call
    const problem = input.form_schema && problemOfForm(input.form_schema)
    if (problem) return { error: `form_schema cannot be used: ${problem}` }
    if (input.form_schema) return open(sql, call, { ...input, questions: null, type: 'form' })
    return open(sql, call, { ...input, questions: input.questions ?? [{ question: input.title }], type: 'question' })
  },
  resolve: resolveBy((response) => ({ answers: response['answers'] ?? null, values: response['values'] ?? null })),
})

const humanLogin = waitingTool({
  name: 'human_login',
  description: 'Ask a person to log in somewhere for you and to say when it is done.',
  input: Type.Object({ title: Title, description: Description, ...Timing }),
  waitsFor: 'human',
  begin: (call, sql) => open(sql, call, { ...call.input, type: 'login' }),
  resolve: resolveBy((response) => ({ done: response['done'] === true })),
})

export const humanSet: ToolSet = {
  name: 'human',
  title: 'People',
  description: 'Ask a person: approvals, questions and forms; the run waits without costing anything.',
  provider: null,
  tools: [humanApprove, humanAsk, humanLogin],
}
