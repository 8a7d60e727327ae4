// runyard alerts: the open incidents of the team, who looks at them, and the rules that open them.
import type { AlertIncident, AlertRule, CreateAlertRuleInput, Runyard } from '../../../sdk/src/index.ts'
import { command, CommandFailed, UsageError } from '../command.ts'
import { oneNamed } from '../named.ts'
import { ageOf } from '../times.ts'

/** A value as people read it. */
function valueOf(signal: AlertRule['signal'], value: number | null): string {
  if (value === null) return ''
  const short = String(Math.round(value * 100) / 100)
  if (signal === 'failure_rate') return `${short} %`
  if (signal === 'cost') return `$${short}`
  return signal === 'waiting_age' || signal === 'queue_age' ? `${short} min` : short
}

export const alertsList = command({
  words: 'alerts',
  needs: 'service',
  endsWithReader: true,
  says: 'List open incidents, the newest first.',
  about:
    'An incident is open while the signal of a rule is over its threshold. The exit code is 0 whether there are some or not.',
  options: { all: { type: 'boolean', says: 'closed ones too' } },
  examples: ['runyard alerts', "runyard alerts --json | jq -r '.behind[].run_id'"],
  async run({ values, out, service }) {
    const runyard = await service()
    await out.rows(
      [
        { title: 'id', of: ({ id }) => id },
        { title: 'state', of: ({ state }) => state },
        { title: 'rule', of: ({ rule_name }) => rule_name, mayCut: true },
        { title: 'of', of: ({ scope_name }) => scope_name, mayCut: true },
        { title: 'now', of: ({ signal, last_value }) => valueOf(signal, last_value), isNumber: true },
        { title: 'peak', of: ({ signal, peak_value }) => valueOf(signal, peak_value), isNumber: true },
        { title: 'age', of: ({ opened_at }) => ageOf(opened_at), isNumber: true },
      ],
      runyard.alerts.listIncidents({ limit: 100, ...(!values.all && { state: 'open' }) }),
      'There are no open incidents. Make a rule with: runyard alerts add NAME',
    )
  },
})

export const alertsShow = command({
  words: 'alerts show',
  positionals: ['INCIDENT'],
  needs: 'service',
  endsWithReader: true,
  says: 'Show an incident and the runs behind it.',
  examples: [
    'runyard alerts show 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    'runyard alerts show 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --json | jq .behind',
  ],
  async run({ positionals: [id = ''], out, service }) {
    const { incident } = await (await service()).alerts.getIncident(id)
    out.record(incident, linesOf)
  },
})

function linesOf(incident: AlertIncident): string[] {
  const { signal, threshold, last_value, peak_value, behind } = incident
  const end = incident.closed_at === null ? '' : `, closed at ${incident.closed_at} (${incident.closed_because})`
  return [
    `${incident.rule_name}: ${incident.scope_name ?? 'the team'}`,
    `${incident.state} since ${incident.opened_at}${end}`,
    `${signal} ${valueOf(signal, last_value)}, at most ${valueOf(signal, peak_value)}, threshold ${valueOf(signal, threshold)}`,
    ...(incident.paused_agent_id === null ? [] : [`It paused the agent ${incident.paused_agent_id}.`]),
    ...(incident.acknowledged_at === null
      ? []
      : [`Acknowledged at ${incident.acknowledged_at}. ${incident.note ?? ''}`]),
    ...behind.map(({ kind, id, says }) => `  ${kind} ${id}  ${says}`),
  ]
}

export const alertsAcknowledge = command({
  words: 'alerts ack',
  positionals: ['INCIDENT'],
  needs: 'service',
  says: 'Say that you look at an incident; nobody is reminded of it any more.',
  options: { note: { type: 'string', short: 'm', value: 'TEXT', says: 'what you found, or do about it' } },
  examples: [
    'runyard alerts ack 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    "runyard alerts ack 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 -m 'On it'",
  ],
  async run({ positionals: [id = ''], values: { note }, out, service }) {
    const { incident } = await (await service()).alerts.acknowledge(id, note === undefined ? {} : { note })
    out.record(incident, () => ['acknowledged'])
  },
})

export const alertsRules = command({
  words: 'alerts rules',
  needs: 'service',
  endsWithReader: true,
  says: 'List rules with what each last measured.',
  examples: ['runyard alerts rules', 'runyard alerts rules --json | jq \'select(.state == "open")\''],
  async run({ out, service }) {
    const runyard = await service()
    await out.rows(
      [
        { title: 'id', of: ({ id }) => id },
        { title: 'name', of: ({ name }) => name, mayCut: true },
        { title: 'signal', of: ({ signal }) => signal },
        { title: 'of', of: ({ scope_name }) => scope_name, mayCut: true },
        { title: 'threshold', of: ({ signal, threshold }) => valueOf(signal, threshold), isNumber: true },
        { title: 'now', of: ({ signal, measured_value }) => valueOf(signal, measured_value), isNumber: true },
        { title: 'state', of: ({ enabled, state }) => (enabled ? state : 'off') },
        { title: 'problem', of: ({ problem }) => problem, mayCut: true },
      ],
      runyard.alerts.listRules({ limit: 100 }),
      'There are no rules yet. Make one with: runyard alerts add NAME',
    )
  },
})

const minutes = { type: 'string', value: 'MINUTES' } as const

/** What a rule has whatever it is about, so what can be changed of one. */
const settings = {
  clear: { type: 'string', value: 'NUMBER', says: 'it closes only below this; 4/5 of the threshold unless given' },
  window: { ...minutes, says: 'the last minutes that count' },
  'min-runs': { type: 'string', value: 'NUMBER', says: 'with fewer ended runs there is no failure rate' },
  for: { ...minutes, says: 'how long it must be over before it opens' },
  'clear-for': { ...minutes, says: 'how long it must be well before it closes' },
  remind: { type: 'string', value: 'HOURS', says: 'say it again while nobody looks at it' },
} as const

type Settings = { [name in keyof typeof settings]?: string }

function settingsOf(values: Settings) {
  const number = (name: keyof Settings) => numberOf(`--${name}`, values[name]!)
  return {
    ...(values.clear !== undefined && { clear_threshold: number('clear') }),
    ...(values.window !== undefined && { window_minutes: number('window') }),
    ...(values['min-runs'] !== undefined && { min_runs: number('min-runs') }),
    ...(values.for !== undefined && { for_minutes: number('for') }),
    ...(values['clear-for'] !== undefined && { clear_minutes: number('clear-for') }),
    ...(values.remind !== undefined && { remind_hours: number('remind') }),
  }
}

export const alertsAdd = command({
  words: 'alerts add',
  positionals: ['NAME'],
  needs: 'service',
  says: 'Make a rule; --try only says what it would measure now.',
  about:
    'Signals: failure_rate (percent), waiting_age (minutes), cost (USD), queue_age (minutes), delivery_failures and schedule_misses (how many). Without --agent, --queue, --webhook or --schedule a rule is about the whole team.',
  options: {
    signal: { type: 'string', value: 'SIGNAL', isRequired: true, says: 'what is watched' },
    threshold: { type: 'string', value: 'NUMBER', isRequired: true, says: 'an incident opens at this value' },
    agent: { type: 'string', value: 'AGENT', says: 'only of this agent, by its id or its name' },
    queue: { type: 'string', value: 'QUEUE', says: 'only of this queue, by its id or its name' },
    webhook: { type: 'string', value: 'ID', says: 'only of this webhook' },
    schedule: { type: 'string', value: 'ID', says: 'only of this schedule' },
    ...settings,
    pause: { type: 'boolean', says: 'pause the agent when an incident opens' },
    try: { type: 'boolean', says: 'make nothing; print what it would measure now' },
  },
  examples: [
    "runyard alerts add 'Invoices fail' --agent Invoices --signal failure_rate --threshold 50 --pause",
    "runyard alerts add 'Nobody answers' --signal waiting_age --threshold 60 --try",
  ],
  async run({ positionals: [name = ''], values, out, service }) {
    const { signal, threshold } = values
    if (signal === undefined || threshold === undefined) throw new UsageError('Give --signal and --threshold.')
    const runyard = await service()
    const input = {
      name,
      signal,
      threshold: numberOf('--threshold', threshold),
      ...(await scopeOf(runyard, values)),
      ...settingsOf(values),
      ...(values.pause && { pause_agent: true }),
      // the service names what it does not know
    } as CreateAlertRuleInput
    if (values.try) out.record(await runyard.alerts.previewRule(input), ({ says }) => [says])
    else out.record((await runyard.alerts.createRule(input)).alert_rule, ({ id }) => [id])
  },
})

function numberOf(option: string, text: string): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) throw new UsageError(`${option} must be a number.`)
  return value
}

interface Named {
  agent?: string
  queue?: string
  webhook?: string
  schedule?: string
}

async function scopeOf(runyard: Runyard, { agent, queue, webhook, schedule }: Named): Promise<object> {
  const given = [agent, queue, webhook, schedule].filter((one) => one !== undefined)
  if (given.length > 1) throw new UsageError('Give only one of --agent, --queue, --webhook and --schedule.')
  if (agent !== undefined) {
    const { agentIdOf } = await import('../findAgent.ts')
    return { scope: 'agent', scope_id: await agentIdOf(runyard, agent) }
  }
  if (queue !== undefined) {
    const { id } = await oneNamed(runyard.queues.list({ limit: 100 }), queue, 'queue')
    return { scope: 'queue', scope_id: id }
  }
  if (webhook !== undefined) return { scope: 'webhook', scope_id: webhook }
  return schedule === undefined ? {} : { scope: 'schedule', scope_id: schedule }
}

export const alertsChange = command({
  words: 'alerts change',
  positionals: ['RULE'],
  needs: 'service',
  says: 'Change a rule by its id or its name, or switch it off and on.',
  about:
    'What is not given stays. The signal, and what it is measured for, stay too: make another rule for another one.',
  options: {
    name: { type: 'string', value: 'NAME', says: 'another name' },
    threshold: { type: 'string', value: 'NUMBER', says: 'an incident opens at this value' },
    ...settings,
    off: { type: 'boolean', says: 'measure nothing; its open incident closes' },
    on: { type: 'boolean', says: 'measure again' },
  },
  examples: ["runyard alerts change 'Invoices fail' --threshold 30", "runyard alerts change 'Invoices fail' --off"],
  async run({ positionals: [given = ''], values, out, service }) {
    if (values.on && values.off) throw new UsageError('Give only one of --on and --off.')
    const changes = {
      ...(values.name !== undefined && { name: values.name }),
      ...(values.threshold !== undefined && { threshold: numberOf('--threshold', values.threshold) }),
      ...settingsOf(values),
      ...((values.on || values.off) && { enabled: values.on === true }),
    }
    if (Object.keys(changes).length === 0) throw new UsageError('Say what to change: --threshold, --for, --off, …')
    const runyard = await service()
    const rule = await oneNamed(runyard.alerts.listRules({ limit: 100 }), given, 'rule')
    const { alert_rule: changed } = await runyard.alerts.updateRule(rule.id, changes)
    out.record(changed, ({ id }) => [`changed ${id}`])
  },
})

export const alertsRemove = command({
  words: 'alerts remove',
  positionals: ['RULE'],
  needs: 'service',
  says: 'Delete a rule by its id or its name; its open incident closes.',
  examples: ["runyard alerts remove 'Invoices fail'", 'runyard alerts remove 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55'],
  async run({ positionals: [given = ''], out, service }) {
    const runyard = await service()
    const rule = await oneNamed(runyard.alerts.listRules({ limit: 100 }), given, 'rule')
    const { success } = await runyard.alerts.deleteRule(rule.id)
    if (!success) throw new CommandFailed('The rule was not deleted.')
    out.record({ id: rule.id }, ({ id }) => [`deleted ${id}`])
  },
})
