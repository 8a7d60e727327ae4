// runyard inbox approve, reject, answer and withdraw: the answers to human requests, for scripts.
import type { HumanRequest, PendingRequest } from '../../../sdk/src/index.ts'
import { command, UsageError, type Call } from '../command.ts'

type Answer = (pending: PendingRequest) => Promise<HumanRequest>

async function respond({ positionals: [id = ''], out, service }: Call, answer: Answer): Promise<void> {
  const [runyard, { pendingRequest }] = await Promise.all([service(), import('./findRequest.ts')])
  const answered = await answer(await pendingRequest(runyard, id))
  out.record(answered, ({ status }) => [status === 'pending' ? 'approved; one more person must approve' : status])
}

const comment = { type: 'string', value: 'TEXT', says: 'a comment that the run reads' } as const

export const inboxApprove = command({
  words: 'inbox approve',
  positionals: ['ID'],
  needs: 'service',
  says: 'Approve the action of a request, or say that a login is done.',
  options: { comment },
  examples: [
    'runyard inbox approve 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    "runyard inbox approve 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --comment 'Only this once'",
  ],
  run: (call) => respond(call, (pending) => pending.approve(call.values.comment)),
})

export const inboxReject = command({
  words: 'inbox reject',
  positionals: ['ID'],
  needs: 'service',
  says: 'Reject the action of a request.',
  options: { reason: { type: 'string', value: 'TEXT', says: 'why; the run reads it' } },
  examples: [
    'runyard inbox reject 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    "runyard inbox reject 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --reason 'The amount is wrong'",
  ],
  run: (call) => respond(call, (pending) => pending.reject(call.values.reason)),
})

export const inboxWithdraw = command({
  words: 'inbox withdraw',
  positionals: ['ID'],
  needs: 'service',
  says: 'Take your approval back while another person’s is missing.',
  examples: [
    'runyard inbox withdraw 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    'runyard inbox withdraw 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --json',
  ],
  async run({ positionals: [id = ''], out, service }) {
    const [runyard, { pendingRequest }] = await Promise.all([service(), import('./findRequest.ts')])
    const { request } = await pendingRequest(runyard, id)
    const { human_request: left } = await runyard.humanRequests.withdraw(request.run_id, request.id)
    out.record(left, () => ['your approval is taken back; the request is still open'])
  },
})

export const inboxAnswer = command({
  words: 'inbox answer',
  positionals: ['ID'],
  needs: 'service',
  says: 'Answer the questions of a request, or fill in its form.',
  options: {
    answer: {
      type: 'string',
      multiple: true,
      short: 'a',
      value: 'QUESTION=TEXT',
      says: 'the answer to a question; only TEXT if there is one question; repeat it to choose several options',
    },
    values: { type: 'string', value: 'JSON', says: 'the fields of a form' },
    comment,
  },
  examples: [
    'runyard inbox answer 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --answer yes',
    `runyard inbox answer 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --values '{"amount":12}'`,
  ],
  async run(call) {
    const { answer = [], values, comment: said } = call.values
    if (answer.length > 0 === (values !== undefined)) throw new UsageError('Give either --answer or --values.')
    const fields = values === undefined ? undefined : objectIn(values)
    const { answersOf } = await import('./answers.ts')
    return respond(call, (pending) => pending.answer(fields ?? answersOf(pending.request, answer), said))
  },
})

function objectIn(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (error) {
    throw new UsageError(`--values is not JSON: ${(error as Error).message}`, { cause: error })
  }
  throw new UsageError('--values must be a JSON object.')
}
