// Requests made from the served OpenAPI document, valid and broken; each answer is checked against that document.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import * as fc from 'fast-check'
import type { Arbitrary } from 'fast-check'
import { registryOf } from '../src/kit/registry.ts'
import { brokenAddresses, nextToPath, randomAddresses } from './fuzz/brokenAddresses.ts'
import { brokenBodies, constraintsOf, randomBodies } from './fuzz/brokenBodies.ts'
import { brokenHeaders, randomCredentials } from './fuzz/brokenHeaders.ts'
import { isMutating, tooLarge, type Case, type Expected } from './fuzz/cases.ts'
import { readDocument, type DocumentedOperation } from './fuzz/document.ts'
import { createJudge } from './fuzz/judge.ts'
import { createLedger, problemsOf, sumOf, tableOf } from './fuzz/ledger.ts'
import { createSend, payloadOf, urlOf, type Answer, type Draft } from './fuzz/send.ts'
import { nearExampleOf, prepareStage, validValuesOf, type Stage } from './fuzz/valid.ts'
import { outside } from './kit/outside.ts'
import { testServer } from './kit/postgres.ts'
import type { TestTeam } from './kit/seed.ts'
import { testApp } from './kit/testApp.ts'
import { provesTogether } from './kit/proves.ts'

const seed = Number(process.env['RUNYARD_FUZZ_SEED'] ?? 20260718)
/** `npm run survive -- fuzz` sends more of them: everything that was thought of to every operation, and more that is drawn. */
const requestsWanted = Number(process.env['RUNYARD_FUZZ_REQUESTS'] ?? 1000)
const isLong = requestsWanted >= 10_000
/** The short form tries a fault that several fields or paths share on one in this many of them. */
const dealtTo = isLong ? 1 : 12
/** How many successes and how many refusals each operation must have given. */
const answersMin = Number(process.env['RUNYARD_FUZZ_ANSWERS'] ?? 3)
/** And so many random broken ones it gets, however often it refused what was thought of. */
const brokenMin = isLong ? 10 : 3
/** Operations that are tried side by side; the requests to one of them follow each other. */
const lanes = 6

const service = await testApp({ config: { ...(await outside()).config, rateLimit: 10_000_000 } })
service.work('sandboxes')
const send = createSend(service, await service.listen())
const document = readDocument((await service.app.inject('/openapi.json')).body)
/** Of all requests, those to one operation. */
const share = Math.ceil(requestsWanted / document.operations.length)
const besideOperations = '(beside all operations)'

const ledger = createLedger([...document.operations.map(({ id }) => id), besideOperations])
const claimed = new Set<string>()
const kept = new Set<string>()
/** What no answer and no line of the log may hold. */
const hidden: string[] = [(await testServer()).runtime.password]
const judge = createJudge(document.operations[0]!.answers.get(400)!.check!, hidden)

const bodyBytesMaxima = new Map(
  registryOf(service.context).operations.map(({ id, bodyBytesMax }) => [id, bodyBytesMax]),
)

const theExample: Case = { about: 'the example of the document', change: (draft) => draft, expected: 'done' }

const hideKey = ({ key }: TestTeam) => hidden.push(key)

/** Sends one request, counts it, and notes everything that is wrong with its answer. */
async function perform(about: string, draft: Draft, expected: Expected, operation?: DocumentedOperation) {
  const name = operation?.id ?? besideOperations
  const example = `${about}: ${draft.method} ${urlOf(draft).slice(0, 200)}`
  let answer: Answer
  try {
    answer = await send(draft, ledger.rows.get(name)!.sent)
  } catch (error) {
    ledger.complain(name, `no answer: ${String(error)}`, example)
    return undefined
  }
  ledger.count(name, answer.status)
  const problems = judge({ draft, answer, expected, ...(operation && { operation }) })
  for (const problem of problems)
    ledger.complain(name, problem, `${example} → ${answer.status} ${answer.text.slice(0, 300)}`)
  return { answer, isRight: problems.length === 0 }
}

async function performCase(stage: Stage, { about, change, expected, breaks, andThen }: Case): Promise<void> {
  const { operation } = stage
  const draft = change(stage.draft())
  // the longest text of four bytes a letter may be more than a body may have, which is asked first
  const isTooLarge =
    draft.raw === undefined && Buffer.byteLength(payloadOf(draft) ?? '') > bodyBytesMaxima.get(operation.id)!
  const first = await perform(about, draft, isTooLarge ? tooLarge : expected, operation)
  if (breaks !== undefined && first?.isRight && !isTooLarge) kept.add(`${operation.id}: ${breaks}`)
  if (andThen && first) {
    const isReplay = andThen.expected === 'the first answer again'
    const wanted = andThen.expected === 'the first answer again' ? 'done' : andThen.expected
    const second = await perform(`${about}, then`, andThen.change(draft), wanted, operation)
    if (isReplay && second?.answer.text !== first.answer.text) ledger.complain(operation.id, 'another answer', about)
  }
  if (first && first.answer.status < 300 && isMutating(operation.method)) await stage.renew()
}

async function tryOperation(operation: DocumentedOperation, place: number): Promise<void> {
  const stage = await prepareStage(service, document, operation, hideKey)
  const isTaking = isMutating(operation.method)
  const bodies = isTaking ? brokenBodies(document, operation, stage.draft()) : []
  for (const constraint of constraintsOf(bodies)) claimed.add(`${operation.id}: ${constraint}`)
  await performCase(stage, theExample)
  const cases = [...bodies, ...brokenAddresses(operation), ...brokenHeaders(operation)]
  for (const one of asManyAs(share, cases, place)) await performCase(stage, one)

  const random = [
    randomCredentials,
    randomAddresses(operation),
    ...(isTaking ? [randomBodies(document, operation)] : []),
  ]
  const good = drawn(validValuesOf(document, operation), seed + place)
  const near = drawn(nearExampleOf(document, operation), seed + place)
  const broken = drawn(fc.oneof(...random), seed + place)
  for (let pair = 0; pair < Math.max(share, 8 * answersMin); pair++) {
    const { sent, done, refused } = ledger.rows.get(operation.id)!
    if (sent >= share && done >= answersMin && refused >= answersMin) break
    const values = (pair % 2 === 0 ? good : near).next().value
    const change = () => stage.draftWith(values)
    await performCase(stage, { about: `good values ${pair}`, change, expected: 'anything documented' })
    if (pair < brokenMin || refused < answersMin || sent < share) await performCase(stage, broken.next().value)
  }
}

/**
 * What is about the fields of this very operation is always tried, in the short form once for each constraint of a body. What is the
 * same for all of them is, once there are so many operations that each gets less than all of it, dealt out among them.
 */
function asManyAs(most: number, cases: Case[], place: number): Case[] {
  const aboutFields = cases.filter(({ expected }) => typeof expected === 'object' && expected.naming)
  const general = cases.filter((one) => !aboutFields.includes(one))
  const broken = new Set<string>()
  const own = aboutFields.filter(({ breaks }, index) => {
    if (breaks === undefined || isLong) return (index + place) % dealtTo === 0
    return !broken.has(breaks) && broken.add(breaks)
  })
  const length = Math.min(general.length, Math.max(most - own.length, Math.ceil(answersMin / 2)))
  const [chosen = []] = fc.sample(fc.shuffledSubarray(general, { minLength: length, maxLength: length }), {
    seed: seed + place,
    numRuns: 1,
  })
  return [...own, ...chosen]
}

/** Values without end, the same ones for the same seed. */
function* drawn<T>(from: Arbitrary<T>, seedOfAll: number): Generator<T, never> {
  for (let batch = 0; ; batch++) yield* fc.sample(from, { seed: seedOfAll + 1000 * batch, numRuns: isLong ? 25 : 5 })
}

async function tryBeside(path: string, place: number): Promise<void> {
  const there = document.operations.filter((operation) => operation.path === path)
  const stage = await prepareStage(service, document, there[0]!, hideKey)
  const taken = there.map(({ method }) => method)
  const cases = nextToPath(path, taken, stage.draft()).filter((_, index) => (index + place) % dealtTo === 0)
  for (const { about, change, expected } of cases) await perform(about, change(stage.draft()), expected)
}

async function inLanes(work: (() => Promise<void>)[]): Promise<void> {
  const left = work.values()
  const lane = async () => {
    for (const one of left) await one()
  }
  await Promise.all(Array.from({ length: lanes }, lane))
}

provesTogether('fuzz.document', `requests made from the OpenAPI document with RUNYARD_FUZZ_SEED=${seed}`, () => {
  before(async () => {
    const paths = new Set(document.operations.map(({ path }) => path))
    await inLanes([
      ...document.operations.map((operation, place) => () => tryOperation(operation, place)),
      ...[...paths].map((path, place) => () => tryBeside(path, place)),
    ])
  })

  test('are answered as the document says, every one of them', (t) => {
    for (const line of tableOf(ledger)) t.diagnostic(line)
    assert.ok(sumOf(ledger).sent >= requestsWanted, 'there were too few requests')
    const problems = problemsOf(ledger)
    assert.equal(problems.length, 0, `\n${problems.join('\n')}`)
  })

  test('reach every operation, often enough with success and often enough with a refusal', () => {
    const missed = document.operations
      .map(({ id }) => ({ id, ...ledger.rows.get(id)! }))
      .filter(({ done, refused }) => done < answersMin || refused < answersMin)
    assert.deepEqual(missed, [])
  })

  test('are refused by the name of the field when they break one of its constraints', (t) => {
    t.diagnostic(`${claimed.size} constraints of body fields`)
    assert.deepEqual(
      [...claimed].filter((constraint) => !kept.has(constraint)),
      [],
    )
  })

  test('leave no failure and no secret in the log, and nothing on the prototypes', () => {
    const failures = service.logged.filter((line) => /"level":"(error|fatal)"/.test(line))
    assert.deepEqual(failures.slice(0, 5), [])
    const telling = service.logged.filter((line) => hidden.some((secret) => line.includes(secret)))
    assert.deepEqual(telling.slice(0, 5), [])
    assert.equal('polluted' in {}, false)
  })
})
