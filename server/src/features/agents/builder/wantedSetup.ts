// What a model wants of a draft beside its procedure: what runs are given, which models they ask, and what starts them. Names only.
import { days, frequencies } from '../../../base/schedule.ts'
import { cutSecretLike } from '../../../base/secretLike.ts'
import { eventNames } from '../../../kit/event.ts'
import type { OfferedKind, StartKind } from '../../../kit/offers.ts'

/** The key of `data` in a config for each kind of use. */
export const useKinds = {
  secret: 'secrets',
  login: 'logins',
  skill: 'skills',
  file: 'files',
  connection: 'connections',
  agent: 'subAgents',
  plugin: 'plugins',
} as const

export type UseKind = keyof typeof useKinds

/** What the team has of a kind; plugins are the server's. */
export const offeredAs: Record<Exclude<UseKind, 'plugin'>, OfferedKind> = {
  secret: 'secrets',
  login: 'logins',
  skill: 'skills',
  file: 'files',
  connection: 'connections',
  agent: 'agents',
}

export interface Use {
  kind: UseKind
  name: string
}

/** One that starts runs, as a model writes it: an empty text and a 0 stand for what is not given. */
export type WireStart = { kind: StartKind } & Record<string, string | number>

export interface WantedSetup {
  uses: Use[]
  models: string[]
  on_limit: 'fail' | 'ask'
  starts: WireStart[]
}

const text = (description: string) => ({ type: 'string', description })
const number = (description: string) => ({ type: 'integer', description })
const oneOf = (values: readonly string[], description = '') => ({ type: 'string', enum: [...values], description })

const judged = {
  name: text('What people call it.'),
  filter: text('An expression; only what makes it true starts a run. Empty: everything does.'),
  message: text('The message of each run, with {{ }}. Empty: what came in.'),
  dedupe_key: text(
    'An expression; what comes with a key that was there before starts nothing. Empty: the sender’s own id.',
  ),
}

/** Stands for no day of the week. */
export const noDay = 'none'

const shapes: Record<StartKind, Record<string, object>> = {
  schedule: {
    frequency: oneOf(frequencies),
    time: text('HH:MM, with daily, workday, weekly and monthly; otherwise empty.'),
    // not every provider takes an empty text in an enum
    day: oneOf([...days, noDay], 'With weekly; otherwise none.'),
    day_of_month: number('With monthly; otherwise 0.'),
    cron: text('Five fields, with custom; otherwise empty.'),
    timezone: text('An IANA name.'),
    message: text('The message of each run; may be empty.'),
  },
  webhook: {
    ...judged,
    verifier: oneOf(
      ['none', 'github', 'stripe', 'slack', 'standard_webhooks', 'secret'],
      'How a sender proves itself. The person gives its secret later, on the page of the trigger.',
    ),
  },
  email: judged,
  event: {
    ...judged,
    event: oneOf(eventNames),
    agent: text('Only events of the agent with this name. Empty: of any.'),
  },
  poll: {
    ...judged,
    connection: text('The name of a connection.'),
    tool: text('The tool of it that lists the items.'),
    arguments: text('The arguments of each call: a JSON object.'),
    items: text('An expression for the list in `result`; empty: the answer is the list, or its only list is.'),
    every_minutes: number('1 to 1440.'),
  },
  case: { queue: text('The name of a queue.'), concurrency: number('Cases at once; 0: as many as the queue allows.') },
}

const closed = (properties: Record<string, object>) => ({
  type: 'object',
  additionalProperties: false,
  required: Object.keys(properties),
  properties,
})

export const setupSchema = {
  anyOf: [
    closed({
      uses: {
        type: 'array',
        description: 'Everything that its runs are given, by name.',
        items: closed({ kind: oneOf(Object.keys(useKinds)), name: { type: 'string' } }),
      },
      models: { type: 'array', description: 'In the order in which they are asked.', items: { type: 'string' } },
      on_limit: oneOf(['fail', 'ask']),
      starts: {
        type: 'array',
        description: 'New ones only.',
        items: {
          anyOf: Object.entries(shapes).map(([kind, properties]) => closed({ kind: oneOf([kind]), ...properties })),
        },
      },
    }),
    { type: 'null' },
  ],
  description: 'What the draft has beside its procedure; null: as it is.',
}

const lengths = { uses: 100, name: 200, models: 5, starts: 10 }

/** What is wrong with its sizes; undefined: nothing. */
export function problemOfSetup({ uses, models, starts }: WantedSetup): string | undefined {
  if (uses.length > lengths.uses || uses.some(({ name }) => name.trim() === '' || name.length > lengths.name)) {
    return `setup.uses must have at most ${lengths.uses} entries, each with a name of 1 to ${lengths.name} characters.`
  }
  if (uses.some(({ name }) => cutSecretLike(name).cut > 0)) {
    return 'A name in setup.uses looks like the value of a secret. Give the name of a secret, never a value.'
  }
  if (models.length > lengths.models) return `setup.models must have at most ${lengths.models} models.`
  if (starts.length > lengths.starts) return `setup.starts must have at most ${lengths.starts} entries.`
  if (starts.filter(({ kind }) => kind === 'case').length > 1) {
    return 'An agent works the cases of one queue: give at most one start of the kind case.'
  }
  return undefined
}
