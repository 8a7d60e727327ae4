// Rules as text and back.
import assert from 'node:assert/strict'
import { proves } from '../../../../../server/test/kit/proves.ts'
import { pageOf, problemsIn, rulesIn, textOf } from './rulesText.ts'

const rules = {
  always_ask: ['browser_*'],
  two_person: ['bank__transfer'],
  allowed_hosts: ['api.example.com', '*.example.org'],
  allowed_connections: null,
  cost_usd_per_day: '50',
  runs_per_day: 500,
  outside_calls_per_day: null,
  quiet_hours: [{ days: ['sat', 'sun'] as ('sat' | 'sun')[], from: '00:00', to: '24:00' }],
  time_zone: 'Europe/Berlin',
}

proves('console.guardrails', 'rules that are shown and sent unchanged stay the same', () => {
  assert.deepEqual(rulesIn(textOf(rules)), { rules, problems: {} })
})

proves('console.guardrails', 'a list that allows nothing stays one, and does not become everything', () => {
  const closed = { ...rules, allowed_hosts: [], allowed_connections: [] }
  assert.deepEqual(rulesIn(textOf(closed)), { rules: closed, problems: {} })
})

proves('console.guardrails', 'days are written singly, as a row, or all at once', () => {
  const spans = rulesIn({ ...textOf(rules), quiet_hours: 'mon-wed fri 20:00-07:00\ndaily 12:00 - 13:00' }).rules
    .quiet_hours
  assert.deepEqual(spans?.[0], { days: ['mon', 'tue', 'wed', 'fri'], from: '20:00', to: '07:00' })
  assert.equal(spans?.[1]?.days.length, 7)
})

proves('console.guardrails', 'what cannot be read is named at its field', () => {
  const { problems } = rulesIn({
    ...textOf(rules),
    quiet_hours: 'someday 20:00-07:00',
    runs_per_day: 'many',
    cost_usd_per_day: '-1',
  })
  assert.deepEqual(Object.keys(problems).toSorted(), ['cost_usd_per_day', 'quiet_hours', 'runs_per_day'])
})

proves('console.guardrails', 'an empty list of hosts is no rule, and the word none allows no host', () => {
  assert.equal(rulesIn({ ...textOf(rules), allowed_hosts: ' ' }).rules.allowed_hosts, null)
  assert.deepEqual(rulesIn({ ...textOf(rules), allowed_hosts: 'none' }).rules.allowed_hosts, [])
})

proves('console.guardrails', 'each sentence of a refusal stands at the field that it names', () => {
  const { problems, rest } = problemsIn(
    'rules.time_zone: "X" is not a time zone. rules.allowed_hosts[0]: "a b" is not a host. rules: they are too large.',
  )
  assert.deepEqual(problems, {
    time_zone: '"X" is not a time zone.',
    allowed_hosts: '"a b" is not a host.',
  })
  assert.equal(rest, 'rules: they are too large.')
})

proves('console.guardrails', 'versions are compared as lines that people read, with the names of connections', () => {
  const page = pageOf({ ...rules, allowed_connections: ['id-1', 'id-2'] }, (id) => (id === 'id-1' ? 'Bank' : id))
  assert.match(page, /^Tools that always ask\n {2}browser_\*\nTools that need two people\n {2}bank__transfer\n/)
  assert.match(page, /Allowed connections\n {2}Bank\n {2}id-2\nDollars a day for models\n {2}50\n/)
  assert.match(page, /Outside calls a day\n {2}no bound\nQuiet hours\n {2}sat sun 00:00-24:00\n/)
})
