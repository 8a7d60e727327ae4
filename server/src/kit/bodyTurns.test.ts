// Large and deep bodies: their bytes decide whether they are refused, and parsing takes turns, so that teams do not delay each other.
import assert from 'node:assert/strict'
import { parseBounded, createDepthWatch } from '../base/boundedJson.ts'
import { takeSteps } from '../base/steps.ts'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { createBodyTurns, type BodyOwner } from './bodyTurns.ts'
import { readJson } from './json.ts'
import { createTeamTime } from './teamTime.ts'
import { proves } from '../../test/kit/proves.ts'

const service = await testApp()
const url = await service.listen()

const large = 1024 * 1024
const parseText = (text: string) => takeSteps(readJson(Buffer.from(text)))
const settled = () => new Promise((resolve) => setImmediate(resolve))

proves(
  'bodies.depth',
  'a body that is nested too deep is refused by its bytes, before the parser sees it',
  async () => {
    const team = await seedTeam(service)
    const create = async (body: string) => (await team.call('POST /v2/teams/:teamId/members', { body })).body
    // both are not JSON either, which only a parser could tell
    assert.match((await create('['.repeat(2_000_000))).message, /nested deeper than 64 levels/)
    assert.match((await create(`{"a":${'{"a":'.repeat(400_000)}`)).message, /nested deeper than 64 levels/)
    assert.match((await create(`{"a":[${'[],'.repeat(500_001)}[]]}`)).message, /more than 500000 objects and lists/)
    const brackets = '['.repeat(90)
    const done = await create(JSON.stringify({ name: `"${brackets}\\` }))
    assert.equal(done.message, undefined, 'brackets inside a string nest nothing')
  },
)

proves('bodies.depth', 'the scan misses nothing that makes a value impossible to store', () => {
  const refused: [string, RegExp][] = [
    ['{"a":[1,{"b":"x\\u0000"}]}', /^a\[1\]\.b contains a NUL/],
    ['{"a\\u0000":1}', /^A field name contains a NUL/],
    ['["\\uD83D"]', /^\[0\] contains half/],
    ['{"a":1e999}', /^a: the number is out of range/],
    [`{"a":-${'9'.repeat(400)}}`, /^a: the number is out of range/],
  ]
  for (const [text, says] of refused) assert.throws(() => parseText(text), { message: says }, text)
  assert.deepEqual(parseText('["\\ud83d\\ude00","\\u00e9",1.5e3,true,"\\\\u0000"]'), ['😀', 'é', 1500, true, '\\u0000'])
})

proves('bodies.depthOutside', 'JSON from elsewhere is bounded in depth too, also when a library parses it', () => {
  const deep = `${'['.repeat(70)}${']'.repeat(70)}`
  assert.throws(() => parseBounded(deep), SyntaxError)
  const watch = createDepthWatch({ perLine: false })
  watch(Buffer.from(`{"text":"${'['.repeat(100)}\\"`))
  assert.throws(() => watch(Buffer.from(`","more":${deep}}`)), SyntaxError)
  const perLine = createDepthWatch({ perLine: true })
  for (let line = 0; line < 100; line++) perLine(Buffer.from('data: [\n'))
})

proves('bodies.turns', 'one team’s costly bodies wait while another team’s are parsed at once', async () => {
  const noisy = await seedTeam(service)
  const quiet = await seedTeam(service)
  const costly = `{${Array.from({ length: 150_000 }, (_, index) => `"k${index}":1`).join(',')}}`
  const leaving = new AbortController()
  let answered = 0
  const send = (team: typeof noisy) =>
    fetch(`${url}/v2/teams/${team.id}/members`, {
      method: 'POST',
      headers: { authorization: `Bearer ${team.key}`, 'content-type': 'application/json' },
      body: costly,
      signal: leaving.signal,
    })
  const all = Array.from({ length: 30 }, () =>
    send(noisy).then(
      () => (answered += 1),
      () => undefined,
    ),
  )
  await Promise.race(all)
  assert.equal((await send(quiet)).status, 400)
  assert.ok(answered < all.length, 'the noisy team still waits')
  leaving.abort()
  await Promise.all(all)
})

proves('bodies.turns', 'a team parses one body at a time, in turns by credential, and memory is bounded', async () => {
  const turns = createBodyTurns(createTeamTime({ now: () => 0 }))
  const went: string[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  for (const name of ['a1', 'a2', 'a3', 'b1', 'other']) gates.set(name, Promise.withResolvers())
  const parse = async (name: string, owner: BodyOwner) => {
    const turn = await turns.enter(owner, large)
    await turn.toParse()
    went.push(name)
    await gates.get(name)!.promise
    turn.leave()
  }
  const parsing = ['a1', 'a2', 'a3', 'b1'].map((name) => parse(name, { team_id: 'team', sender: name[0]! }))
  parsing.push(parse('other', { team_id: 'another team', sender: 'c' }))
  await settled()
  assert.deepEqual(went, ['a1', 'other'])
  for (const name of ['a1', 'a2', 'b1', 'a3', 'other']) {
    gates.get(name)!.resolve()
    await settled()
  }
  await Promise.all(parsing)
  assert.deepEqual(went, ['a1', 'other', 'a2', 'b1', 'a3'], 'no credential waits for all bodies of another')

  const held = await Promise.all(
    Array.from({ length: 4 }, () => turns.enter({ team_id: 'team', sender: 'a' }, 16 * large)),
  )
  let isIn = false
  const fifth = turns.enter({ team_id: 'team', sender: 'b' }, 16 * large).then(() => (isIn = true))
  await settled()
  assert.equal(isIn, false, '64 MiB are held')
  held[0]!.leave()
  await fifth
})
