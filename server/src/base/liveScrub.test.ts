// Secrets in text that comes in pieces: cut out wherever the pieces begin and end, while nothing else waits.
import assert from 'node:assert/strict'
import { scrubberOf } from './knownSecrets.ts'
import { liveScrub } from './liveScrub.ts'
import { proves } from '../../test/kit/proves.ts'

function heard(values: string[], pieces: string[]): string[] {
  const said: string[] = []
  const live = liveScrub(scrubberOf(values), (text) => said.push(text))
  for (const piece of pieces) live.hear(piece)
  live.end()
  return said
}

const value = 'p4ss "wörd"+/9'
const bytes = Buffer.from(value)
const spelled = {
  plain: value,
  json: JSON.stringify(value).slice(1, -1),
  url: encodeURIComponent(value),
  form: new URLSearchParams({ a: value }).toString().slice(2),
  hex: bytes.toString('hex'),
  base64: bytes.toString('base64').replace(/=+$/, ''),
  base64url: bytes.toString('base64url'),
}

proves(
  'deltas.secrets',
  'every spelling is cut at every boundary of two pieces, of three, and letter by letter',
  () => {
    for (const [form, spelling] of Object.entries(spelled)) {
      const text = `It is ${spelling}, ${spelling} p4ss`
      const clean = scrubberOf([value])(text)
      assert.ok(!clean.includes(spelling.slice(0, -1)), `${form}: ${clean}`)
      const from = text.indexOf(spelling)
      for (let one = from; one <= from + spelling.length; one++) {
        for (let two = one; two <= from + spelling.length; two++) {
          const pieces = [text.slice(0, one), text.slice(one, two), text.slice(two)]
          assert.equal(heard([value], pieces).join(''), clean, `${form} cut at ${one} and ${two}`)
        }
      }
      assert.equal(heard([value], text.split('')).join(''), clean, form)
    }
  },
)

proves('deltas.secrets', 'of secrets that begin alike, repeat themselves or overlap, nothing is left over', () => {
  const cases: [values: string[], text: string, clean: string][] = [
    [['secret-1', 'secret-12345'], 'a secret-1, a secret-12345, a secret-123', 'a [cut], a [cut], a [cut]23'],
    [['abcabc'], 'xabcabcabc abcab', 'x[cut] abcab'],
    [['first-second', 'second-third'], 'first-second-third', '[cut]'],
    [['aaaaaab'], 'aaaaaaaaab', 'aaa[cut]'],
  ]
  for (const [values, text, clean] of cases) {
    for (let at = 0; at <= text.length; at++) {
      assert.equal(heard(values, [text.slice(0, at), text.slice(at)]).join(''), clean)
    }
    assert.equal(heard(values, text.split('')).join(''), clean)
  }
})

proves('deltas.secrets', 'text that is the beginning of no secret is passed on at once', () => {
  assert.deepEqual(heard([value], ['The order ', 'p4', 'ck is paid.']), ['The order ', 'p4ck is paid.'])
  assert.deepEqual(heard([], ['p4ss', ' "wörd"']), ['p4ss', ' "wörd"'])
})
