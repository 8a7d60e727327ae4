// Tricks that take more than their share: bodies, tokens, streams, commands, files, searches, downloads.
import { checksumWord } from '../../../src/base/secrets.ts'
import { block } from '../yard.ts'
import type { Attacker, Reply, Trick } from './attacker.ts'
import type { Random } from './random.ts'

const mebibyte = 2 ** 20
const opened = Buffer.alloc(2 * mebibyte - 16, '[')
const wide = Buffer.from(`{"name": ${JSON.stringify(Array.from({ length: 200_000 }, (_, n) => n))}}`)
const keys = Buffer.from(JSON.stringify(Object.fromEntries(Array.from({ length: 60_000 }, (_, n) => [`k${n}`, {}]))))

const bodies: Trick = {
  name: 'deep and wide bodies',
  everyMs: 250,
  atOnce: 6,
  prepare:
    async ({ ask, team, random }) =>
    () =>
      ask('POST', `/v2/teams/${team.teamId}/agents`, random.pick([opened, wide, keys])),
}

/** A key of the right form: its checksum is public, so anybody can make one. */
function madeUpToken(random: Random): string {
  const start = `ry_${random.word(12)}_${random.word(32)}`
  return random.pick([`${start}_${checksumWord(start)}`, `${start}_aaaaaa`, random.word(40), `${random.word(5)}.x.y`])
}

const tokens: Trick = {
  name: 'made-up tokens',
  everyMs: 20,
  atOnce: 4,
  prepare:
    async ({ ask, team, random }) =>
    () =>
      ask('GET', `/v2/teams/${team.teamId}`, undefined, { authorization: `Bearer ${madeUpToken(random)}` }),
}

const documents: Trick = {
  name: 'documents without a key',
  everyMs: 100,
  atOnce: 4,
  prepare:
    async ({ ask, random }) =>
    () =>
      ask('GET', random.pick(['/openapi.json', '/metrics', '/llms.txt', '/docs']), undefined, { authorization: '' }),
}

/** A careless or a hostile client would leave this many open. */
const streamsMax = 3000

const streams: Trick = {
  name: 'open streams',
  everyMs: 5,
  atOnce: 2,
  prepare: async ({ open, team }) => {
    let count = 0
    return async () => {
      if (count >= streamsMax) return undefined
      count += 1
      return { status: await open(`/v2/teams/${team.teamId}/events`), body: undefined }
    }
  },
}

const busyCommands = [
  'while true; do :; done',
  'sleep 30',
  'for i in $(seq 1 3000); do echo x > "f$i"; done',
  'yes',
  'head -c 50000000 /dev/zero > big',
  'ls -lR /workspace',
]

const commands: Trick = {
  name: 'commands in sandboxes',
  everyMs: 100,
  atOnce: 8,
  async prepare({ ask, random }) {
    const made = await Promise.all(Array.from({ length: 16 }, () => ask('POST', '/v2/sandboxes', {})))
    const ids = made.map(({ body }) => body.sandbox_id as string)
    return () => {
      const command = random.pick(busyCommands)
      return ask('POST', `/v2/sandboxes/${random.pick(ids)}/exec`, { command, timeout_s: 5 })
    }
  },
}

const runsOf = async ({ ask, team }: Attacker, input: string): Promise<(message: unknown) => Promise<Reply>> => {
  const build = { config: { version: 'v2', data: { input } } }
  const made = await ask('POST', `/v2/teams/${team.teamId}/agents`, { name: 'Flood', build })
  const { agent_id } = made.body
  return (message) => ask('POST', `/v2/teams/${team.teamId}/runs`, { agent_id, message })
}

const starts: Trick = {
  name: 'a flood of runs',
  everyMs: 20,
  atOnce: 2,
  async prepare(attacker) {
    const start = await runsOf(attacker, `${block('wait', '2s')}${block('output', 'done')}`)
    return () => start('go')
  },
}

const messages: Trick = {
  name: 'large messages',
  everyMs: 1000,
  atOnce: 1,
  async prepare(attacker) {
    const start = await runsOf(attacker, block('output', 'done'))
    return () => start(`${attacker.random.word(20)} ${'words '.repeat(160_000)}`)
  },
}

const searches: Trick = {
  name: 'searches for frequent words',
  everyMs: 50,
  atOnce: 8,
  prepare:
    async ({ ask, team, random }) =>
    () =>
      ask('GET', `/v2/teams/${team.teamId}/runs?search=${random.pick(['go', 'words', 'a', 'words go'])}&limit=100`),
}

const uploads: Trick = {
  name: 'uploads',
  everyMs: 500,
  atOnce: 4,
  async prepare({ ask, random }) {
    const made = await Promise.all(Array.from({ length: 4 }, () => ask('POST', '/v2/sandboxes', {})))
    const bytes = Buffer.alloc(5 * mebibyte, 'x')
    return () =>
      ask('POST', `/v2/sandboxes/${random.pick(made).body.sandbox_id}/files?path=f${random.number(20)}`, bytes, {
        'content-type': 'application/octet-stream',
      })
  },
}

const builders: Trick = {
  name: 'builder runs',
  everyMs: 300,
  atOnce: 4,
  async prepare({ ask, team, random }) {
    const made = await ask('POST', `/v2/teams/${team.teamId}/agents`, { name: 'Built', instructions: 'Do it.' })
    return async () => {
      const revision = await ask('POST', `/v2/agents/${made.body.agent_id}/revisions`, {})
      if (revision.status !== 201) return revision
      const prompt = `${random.word(10)} `.repeat(500)
      return ask('POST', `/v2/revisions/${revision.body.build_id}/generate`, { prompt })
    }
  },
}

export const floodTricks: Trick[] = [
  bodies,
  tokens,
  documents,
  streams,
  commands,
  starts,
  messages,
  searches,
  uploads,
  builders,
]
