// runyard inbox: what waits for a person; in a terminal a list to answer from.
import type { HumanRequest, PendingRequest } from '../../../sdk/src/index.ts'
import { command } from '../command.ts'
import { harmless, type Column } from '../output.ts'
import { ageOf } from '../times.ts'

export const inbox = command({
  words: 'inbox',
  needs: 'service',
  // to answer takes a terminal, which does not close like a pipe
  endsWithReader: true,
  says: 'List what waits for a person; in a terminal, answer it with keys.',
  about:
    'In a terminal: arrow keys or j and k choose a request, a approves, r rejects, Enter answers, q quits. The exact action is shown with all of its arguments. In a pipe the rows are printed.',
  options: {
    watch: { type: 'boolean', short: 'w', says: 'stay open and show new requests' },
    mine: { type: 'boolean', says: 'only what is assigned to you' },
  },
  examples: ['runyard inbox --watch', 'runyard inbox --json | jq -r \'select(.type == "approval") | .id\''],
  async run(call) {
    const { values, out, signal, service, stdin } = call
    const runyard = await service()
    const filter = values.mine ? { assignee_user_id: 'me' } : {}
    const { keyboardOf } = await import('../keyboard.ts')
    const keyboard = out.isForPeople ? keyboardOf(stdin(), out) : undefined
    if (keyboard) {
      const { interactiveInbox } = await import('./interactive.ts')
      return interactiveInbox({ runyard, keyboard, out, signal, filter, stays: values.watch ?? false })
    }
    const { wholeRequest } = await import('./findRequest.ts')
    const pending = runyard.humanRequests.pending({ ...filter, watch: values.watch ?? false, signal })
    const rows = whole(pending, (request) => wholeRequest(runyard, request))
    if (!values.watch || out.isJson || out.isCsv) return out.rows(columns, rows)
    // a table has its widths only when all rows are there
    for await (const request of rows) out.line(harmless(columns.map(({ of }) => of(request) ?? '').join('  ')))
    return undefined
  },
})

async function* whole(
  requests: AsyncIterable<PendingRequest>,
  of: (request: HumanRequest) => Promise<HumanRequest>,
): AsyncGenerator<HumanRequest> {
  for await (const { request } of requests) yield of(request)
}

const columns: Column<HumanRequest>[] = [
  { title: 'id', of: ({ id }) => id },
  { title: 'type', of: ({ type }) => type },
  { title: 'title', of: ({ title }) => title, mayCut: true },
  { title: 'action', of: ({ action }) => action?.tool, mayCut: true },
  { title: 'age', of: ({ created_at }) => ageOf(created_at), isNumber: true },
]
