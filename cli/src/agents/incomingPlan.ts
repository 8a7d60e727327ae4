// What a push would do to the triggers of an agent: webhooks, events, polls and mail addresses.
import type { CreateAgentTriggerInput, Trigger } from '../../../sdk/src/index.ts'
import { isSame, type Fields } from './agentFile.ts'
import { fileFields } from './incoming.ts'
import type { Held, Promised, Step } from './plan.ts'
import { idFor } from './records.ts'
import type { Team } from './team.ts'

/** Names that lead nowhere are refused before anything is changed. */
export function requireKnownIncoming(team: Team, entries: Fields[], promised: Promised): void {
  for (const { event, poll } of entries as { event?: Fields; poll?: Fields }[]) {
    const { agent } = event ?? {}
    if (typeof agent === 'string' && !promised.agents.has(agent)) idFor(team.agents, agent, 'agent')
    if (poll) idFor(team.connections, String(poll['connection']), 'connection')
  }
}

function inputOf(team: Team, entry: Fields): Fields {
  const { event, poll } = entry as { event?: Fields; poll?: Fields }
  const { agent, ...heard } = event ?? {}
  const { connection, ...polled } = poll ?? {}
  return {
    ...entry,
    ...(event && {
      event: { ...heard, agent_id: typeof agent === 'string' ? idFor(team.agents, agent, 'agent') : null },
    }),
    ...(poll && { poll: { ...polled, connection_id: idFor(team.connections, String(connection), 'connection') } }),
  }
}

const verifierOf = ({ webhook }: Fields): string => (webhook as { verifier: string } | undefined)?.verifier ?? 'none'

const titleOf = ({ kind, name }: Fields): string =>
  typeof name === 'string' ? `${String(kind)} ${name}` : String(kind)

const empty: Fields = { name: null, filter: null, message: null, dedupe_key: null, concurrency: null }

const clearedParts: Record<string, Fields> = { webhook: { header: null }, poll: { items: null } }

/** The body of a change: what the file does not have is taken away. Only a verifier that takes a header has one. */
function changeOf(team: Team, entry: Fields): Fields {
  const { kind, ...input } = inputOf(team, entry)
  const part = input[String(kind)]
  const cleared = kind === 'webhook' && verifierOf(entry) !== 'secret' ? {} : clearedParts[String(kind)]
  return { ...empty, ...input, ...(part !== undefined && { [String(kind)]: { ...cleared, ...(part as Fields) } }) }
}

const isWithoutSecret = ({ webhook }: Trigger): boolean =>
  webhook !== null && webhook.verifier !== 'none' && !webhook.has_secret

/**
 * `wanted` undefined: the file says nothing of them, and they stay as they are. An entry is a trigger that is the same, or else one of its
 * kind and name. A webhook whose senders prove themselves is paused until it has its secret, whatever the file says.
 */
export function incomingSteps(team: Team, held: Held, there: Trigger[], wanted: Fields[] | undefined): Step[] {
  if (!wanted) return []
  const { triggers } = team.runyard
  const left = there.map((trigger) => ({ trigger, fields: fileFields(team, trigger) }))
  const take = (fits: (one: (typeof left)[number]) => boolean) => {
    const index = left.findIndex(fits)
    return index < 0 ? undefined : left.splice(index, 1)[0]
  }
  const open = wanted.filter(
    (entry) =>
      !take(({ trigger, fields }) =>
        isSame(fields, isWithoutSecret(trigger) && !trigger.enabled ? { ...entry, enabled: false } : entry),
      ),
  )
  const steps = open.map((entry): Step => {
    const found = take(({ fields }) => fields['kind'] === entry['kind'] && fields['name'] === entry['name'])
    const verifier = verifierOf(entry)
    const hasSecret = found !== undefined && !isWithoutSecret(found.trigger) && verifierOf(found.fields) === verifier
    const isPaused = verifier !== 'none' && !hasSecret
    const made = isPaused ? { ...entry, enabled: false } : entry
    const note = isPaused ? ', paused until you give its secret' : ''
    if (!found) {
      const carryOut = async () =>
        void (await triggers.create(held.id, inputOf(team, made) as unknown as CreateAgentTriggerInput))
      return { sign: '+', says: `${titleOf(entry)}${note}`, carryOut }
    }
    const carryOut = async () => void (await triggers.update(found.trigger.id, changeOf(team, made)))
    return { sign: '~', says: `${titleOf(entry)}${note}`, carryOut }
  })
  const gone = left.map(({ trigger }): Step => {
    const hasAddress = trigger.kind === 'webhook' || trigger.kind === 'email'
    return {
      sign: '-',
      says: `${titleOf({ ...trigger })}${hasAddress ? ', with its address' : ''}`,
      carryOut: async () => void (await triggers.delete(trigger.id)),
    }
  })
  return [...steps, ...gone]
}
