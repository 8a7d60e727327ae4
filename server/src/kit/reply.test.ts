// Long replies: they are written item by item and sent in pieces, and arrive as one text.
import assert from 'node:assert/strict'
import { seedAgent, startRun } from '../../test/kit/runs.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { takeSteps } from '../base/steps.ts'
import { writeAnswer } from './reply.ts'
import { proves } from '../../test/kit/proves.ts'

const service = await testApp()
const url = await service.listen()

proves('replies.pieces', 'an answer that is written item by item is the text that JSON.stringify gives', () => {
  const answers: object[] = [
    {},
    { list: [], none: undefined, 'a "name"': 'ü\u2028"\ud800' },
    {
      list: [1, undefined, null, { a: undefined, b: new Date(0) }, [[]]],
      total: 5,
      at: new Date(0),
      ['__proto__']: [2],
    },
  ]
  for (const answer of answers) assert.equal(takeSteps(writeAnswer(answer)), JSON.stringify(answer))
})

proves(
  'replies.pieces',
  'a reply of megabytes arrives whole over a real connection, with its length, whatever characters it holds',
  async () => {
    const team = await seedTeam(service)
    const agent = await seedAgent(team, '```output\ndone\n```\n')
    // the pieces end in the middle of such pairs
    const message = `x${'😀'.repeat(200_000)}`
    const runId = await startRun(team, agent, { message })
    const headers = { authorization: `Bearer ${team.key}` }
    const response = await fetch(`${url}/v2/runs/${runId}`, { headers })
    const bytes = Buffer.from(await response.arrayBuffer())
    assert.equal(response.headers.get('content-length'), String(bytes.length))
    assert.ok(bytes.includes(message), 'every character is there')
    JSON.parse(bytes.toString())
  },
)
