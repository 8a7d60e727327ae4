// Tools of time: a run postpones itself, and until then it is only rows.
import type { ToolSet } from '../../kit/feature.ts'
import { readInstant } from '../../kit/instant.ts'
import { Type } from '../../kit/schema.ts'
import { waitingTool } from '../../kit/tool.ts'

const secondsMax = 366 * 24 * 3600

const scheduleWait = waitingTool({
  name: 'schedule_wait',
  description: 'Put this run off for some seconds or until a time, without costing anything until then.',
  input: Type.Object({
    seconds: Type.Optional(Type.Number({ minimum: 0, maximum: secondsMax })),
    until: Type.Optional(Type.String({ description: 'An ISO 8601 instant with an offset.', maxLength: 40 })),
  }),
  waitsFor: 'time',
  async begin({ input: { seconds, until } }) {
    const isBoth = seconds !== undefined && until !== undefined
    const given = until ?? seconds
    if (given === undefined || isBoth) return { error: 'Give either seconds or until.' }
    const at = typeof given === 'number' ? new Date(Date.now() + given * 1000) : instantOf(given)
    if (!at) return { error: 'until is not an ISO 8601 instant, for example 2026-07-18T09:30:00Z.' }
    if (at.getTime() > Date.now() + secondsMax * 1000) return { error: 'A run can be put off for a year at most.' }
    return { waiting_on: { kind: 'time', detail: { until: at.toISOString() }, due_at: at } }
  },
  async resolve(_call, _sql, { due_at }, now) {
    return due_at && new Date(due_at).getTime() <= now ? { result: { waited_until: due_at } } : undefined
  },
})

function instantOf(text: string): Date | undefined {
  const read = readInstant(text)
  return read === undefined ? undefined : new Date(read)
}

export const scheduleSet: ToolSet = {
  name: 'schedule',
  title: 'Schedule',
  description: 'Put this run off until a time.',
  provider: null,
  tools: [scheduleWait],
}
