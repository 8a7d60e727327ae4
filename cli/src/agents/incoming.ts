// Triggers of an agent as files have them: webhooks, events, polls and mail addresses. Secrets and addresses are never written to a file.
import type { Trigger } from '../../../sdk/src/index.ts'
import { CommandFailed } from '../command.ts'
import type { Fields } from './agentFile.ts'
import { nameFor } from './records.ts'
import type { Team } from './team.ts'

const kinds = ['webhook', 'event', 'poll', 'email'] as const
const commonKeys = ['name', 'enabled', 'filter', 'message', 'dedupe_key', 'concurrency']
const partKeys: Record<string, string[]> = {
  webhook: ['verifier', 'header'],
  event: ['event', 'agent'],
  poll: ['connection', 'tool', 'arguments', 'items', 'every_minutes', 'start_existing'],
}
/** What the service fills in where a file says nothing. */
const usual: Record<string, Fields> = {
  webhook: { verifier: 'none' },
  poll: { arguments: {}, every_minutes: 5, start_existing: false },
}

const given = (fields: Fields, keys: string[]): Fields =>
  Object.fromEntries(
    keys.flatMap((key) => (fields[key] === null || fields[key] === undefined ? [] : [[key, fields[key]]])),
  )

/** Everything that an entry says, in one form; other fields than these have no meaning. */
function normal(entry: Fields): Fields {
  const kind = String(entry['kind'])
  const part = entry[kind]
  const fields = typeof part === 'object' && part !== null ? (part as Fields) : {}
  return {
    kind,
    enabled: true,
    ...given(entry, commonKeys),
    ...(partKeys[kind] && { [kind]: { ...usual[kind], ...given(fields, partKeys[kind]) } }),
  }
}

/** The trigger as a file has it: other records by name, and nothing that only one service knows. */
export function fileFields(team: Team, trigger: Trigger): Fields {
  const { event, poll } = trigger
  const part = {
    ...(event && { event: { event: event.event, agent: event.agent_id && nameFor(team.agents, event.agent_id) } }),
    ...(poll && { poll: { ...poll, connection: nameFor(team.connections, poll.connection_id) } }),
  }
  return normal({ ...trigger, ...part })
}

const byText = (a: object, b: object): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)

export const incomingFields = (team: Team, triggers: Trigger[]): Fields[] =>
  triggers.map((one) => fileFields(team, one)).toSorted(byText)

export function readIncoming(file: string, entries: Fields[]): Fields[] {
  return entries.map((entry) => {
    if (!kinds.some((kind) => kind === entry['kind']))
      throw new CommandFailed(`${file}: incoming: kind must be one of ${kinds.join(', ')}.`)
    const { webhook } = entry
    if (typeof webhook === 'object' && webhook !== null && 'secret' in webhook)
      throw new CommandFailed(
        `${file}: incoming: a file never holds a secret. Take it out, and give it with: runyard call updateTrigger`,
      )
    return normal(entry)
  })
}
