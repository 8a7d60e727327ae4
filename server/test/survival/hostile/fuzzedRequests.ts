// A separate trick: requests to every documented operation with random values in every place.
import type { Attacker, Trick } from './attacker.ts'
import type { Random } from './random.ts'
import { randomPattern, randomSchema, randomTemplate } from './evaluated.ts'

interface Operation {
  method: string
  path: string
  query: string[]
  fields: string[]
}

interface DocumentedOperation {
  operationId?: string
  parameters?: { name: string; in: string }[]
  requestBody?: { content?: Record<string, { schema?: { properties?: Record<string, unknown> } }> }
}

/** The attacker keeps its own key and members: without them the attack would be over. */
const keptOut = /ApiKey|OauthClient|Member/

export const fuzzedRequests: Trick = {
  name: 'random requests to every operation',
  everyMs: 30,
  atOnce: 4,
  async prepare(attacker) {
    const operations = await readOperations(attacker)
    const { random, ask, team } = attacker
    return () => {
      const { method, path, query, fields } = random.pick(operations)
      const address = path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
        name === 'teamId' ? team.teamId : encodeURIComponent(randomText(random)),
      )
      const asked = query
        .filter(() => random.number(3) === 0)
        .map((name) => `${name}=${encodeURIComponent(randomText(random))}`)
      const body = Object.fromEntries(
        fields.filter(() => random.number(2) === 0).map((name) => [name, randomValue(random)]),
      )
      return ask(method, `${address}?${asked.join('&')}`, method === 'GET' ? undefined : body)
    }
  },
}

async function readOperations({ ask }: Attacker): Promise<Operation[]> {
  const document = (await ask('GET', '/openapi.json')).body as {
    paths: Record<string, Record<string, DocumentedOperation>>
  }
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId }]) => operationId && !keptOut.test(operationId))
      // streams stay open, and another trick opens them
      .filter(([, { operationId }]) => !operationId!.startsWith('stream'))
      .map(([method, { parameters = [], requestBody }]) => ({
        method: method.toUpperCase(),
        path,
        query: parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name),
        fields: Object.keys(requestBody?.content?.['application/json']?.schema?.properties ?? {}),
      })),
  )
}

/** This is never the URL of a host: fuzzed values must not reach the network. */
function randomText(random: Random): string {
  return random.pick([
    () => random.word(random.number(40)),
    () => 'x'.repeat(random.number(5000)),
    () => '0198f000-0000-7000-8000-000000000000',
    () => randomPattern(random),
    () => '../../etc/passwd',
    () => String(random.number(1e9)),
    () => '\u202e‮ \u0001',
    () => randomTemplate(random).slice(0, 3000),
  ])()
}

function randomValue(random: Random, depth = 3): unknown {
  return random.pick<() => unknown>([
    () => randomText(random),
    () => random.number(2) === 0,
    () => random.number(1e12) - 1e6,
    () => null,
    () => randomSchema(random, 3),
    () => (depth === 0 ? [] : Array.from({ length: random.number(5) }, () => randomValue(random, depth - 1))),
    () =>
      depth === 0
        ? {}
        : Object.fromEntries(
            Array.from({ length: random.number(5) }, () => [random.word(4), randomValue(random, depth - 1)]),
          ),
  ])()
}
