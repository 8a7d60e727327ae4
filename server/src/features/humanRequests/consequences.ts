// What each answer to a pending request leads to, in words, for whoever is about to give one.
import type { HumanRequest, Question } from '../../engine/requests/humanRequests.ts'
import { named, Type, type Static } from '../../kit/schema.ts'

export const Consequence = named(
  'Consequence',
  Type.Object({
    answer: Type.String({
      description:
        '`approve`, `reject`, `answer`, `done`, `cancel` or `no_answer`; for a call in doubt the label of an option.',
      examples: ['approve'],
    }),
    leads_to: Type.String({ examples: ['The call is made once.'] }),
  }),
)
export type Consequence = Static<typeof Consequence>

/** Empty for a request that is closed: nothing can be answered any more. */
export function consequencesOf(request: HumanRequest): Consequence[] {
  if (request.status !== 'pending') return []
  const { type, action } = request
  // what people are asked by the tools of agents is the agent's affair; anything else is about a call that the engine holds back
  const isOfCall = action !== null && action.tool !== 'human_approve'
  const answers = isOfCall ? (type === 'approval' ? ofApprovedCall(request) : ofDoubt(request)) : ofTool[type]
  return [...answers, ...atTimeout(request)]
}

/** How many more people must approve after the next one does. */
const othersNeeded = ({ approvals_needed, approvals }: HumanRequest): number => approvals_needed - approvals.length - 1

const ofApprovedCall = (request: HumanRequest): Consequence[] => [
  {
    answer: 'approve',
    leads_to:
      (othersNeeded(request) > 0 ? 'Your approval is noted, and one more person must approve. Then: ' : '') +
      'The call is made once. If it is no longer the call that is shown here, it is not made and you are asked again.',
  },
  {
    answer: 'reject',
    leads_to: 'The call is not made. It fails with an error that has your comment, which the agent reads.',
  },
  {
    answer: 'cancel',
    leads_to: 'The call is not made. It fails with an error that says that its approval was cancelled.',
  },
]

/** The options of the question say themselves what they lead to. */
function ofDoubt({ questions }: HumanRequest): Consequence[] {
  const options = (questions ?? []).flatMap((one: Question) => one.options ?? [])
  return [
    ...options.map(({ label, description }) => ({ answer: label, leads_to: description ?? label })),
    { answer: 'cancel', leads_to: 'The call is not repeated. The agent learns that its outcome is unknown.' },
  ]
}

const cancelled: Consequence = {
  answer: 'cancel',
  leads_to: 'The call that asks fails with an error that says so, and the run continues.',
}

const ofTool: Record<HumanRequest['type'], Consequence[]> = {
  approval: [
    { answer: 'approve', leads_to: 'The run continues, and the agent reads your comment.' },
    {
      answer: 'reject',
      leads_to: 'A model reads the refusal with your comment and decides what follows. In a runbook the step fails.',
    },
    cancelled,
  ],
  question: [{ answer: 'answer', leads_to: 'The run continues, and the agent reads your answers.' }, cancelled],
  form: [{ answer: 'answer', leads_to: 'The run continues, and the agent reads the values.' }, cancelled],
  login: [{ answer: 'done', leads_to: 'The run continues.' }, cancelled],
}

const onTimeout: Record<HumanRequest['on_timeout'], string> = {
  fail: 'The call that asks fails: nobody answered in time.',
  approve: 'It counts as approved.',
  reject: 'It counts as rejected.',
  continue: 'The run continues without an answer.',
}

const atTimeout = ({ expires_at, on_timeout }: HumanRequest): Consequence[] =>
  expires_at === null ? [] : [{ answer: 'no_answer', leads_to: onTimeout[on_timeout] }]
