// Texts of strangers in every place where the service takes one and the page shows it.
import assert from 'node:assert/strict'
import { Client } from 'pg'
import { Runyard } from '../../../sdk/src/index.ts'
import { sqlOn } from '../../../server/src/base/db.ts'
import { startMcpServer } from '../../../server/test/fakes/mcpServer.ts'
import { startReceiver } from '../../../server/test/kit/receiver.ts'
import type { Service } from '../../../server/test/survival/processes.ts'
import { untilPage } from './everyScreen.ts'
import { databaseOf } from './longRun.ts'
import { makeMember } from './sampleData.ts'
import { untilGivenUp } from './sampleOutside.ts'

interface Planted {
  runs: string[]
  cases: string[]
  queue: string
}

/** Four texts share a run and a case: each is in its message or data, and one of them is the title, the reason, the label. */
export function inFours(texts: string[]): [string, string, string, string][] {
  return Array.from({ length: Math.ceil(texts.length / 4) }, (_, at) => {
    const [first = '', second = first, third = first, fourth = first] = texts.slice(at * 4, at * 4 + 4)
    return [first, second, third, fourth]
  })
}

/** Each text is in the message and the result of a run, and in the data of a case; their titles, a label and a reason are texts too. */
export async function plantTexts(sdk: Runyard, texts: string[]): Promise<Planted> {
  const { agent_id } = await sdk.agents.create({
    name: (texts[0] ?? '').slice(0, 90),
    description: texts[1] ?? '',
    build: { config: { version: 'v2', data: { input: '```output\n{{ message }}\n```' } } },
  })
  const { queue_id: queue } = await sdk.queues.create({
    name: `Strangers ${texts[0] ?? ''}`.slice(0, 90),
    description: (texts[1] ?? '').slice(0, 400),
  })
  const planted = await Promise.all(
    inFours(texts).map(async (four) => {
      const [first, second, third, fourth] = four
      const message = Object.fromEntries(four.map((text, at) => [`${at} ${text.slice(0, 60)}`, text]))
      const label = { key: third.slice(0, 40), value: third.slice(0, 60) }
      const [{ run_id }, { added_cases }] = await Promise.all([
        sdk.runs.start({ agent_id, title: first.slice(0, 280), message }),
        sdk.cases.create(queue, {
          case: { title: second.slice(0, 280), data: JSON.stringify(message), labels: [label] },
        }),
      ])
      const id = added_cases[0]?.id ?? ''
      await sdk.cases.fail(id, { reason: fourth })
      return { run: run_id, case: id }
    }),
  )
  return { runs: planted.map(({ run }) => run), cases: planted.map((one) => one.case), queue }
}

/** JSON in a block, where two braces would be a value. */
const asWritten = (value: object): string => JSON.stringify(value).replaceAll('{{', '\\{{')

const fileName = (text: string): string => text.replaceAll(/[/\\\p{Cc}\p{Zl}\p{Zp}]/gu, '|').slice(0, 60)

/** The text of a request has at most 20,000 characters. */
const inRequest = 150

/** All texts in requests, as Markdown; and in files of the first run, with one in the name of each. */
export async function plantRequests(sdk: Runyard, texts: string[]): Promise<string[]> {
  const files = inFours(texts).map((four, at) => {
    const file = asWritten({ path: `in/${at} ${fileName(four[0])}`, content: four.join('\n') })
    return `\`\`\`tool name=sandbox_write_file if="message.has_files"\n${file}\n\`\`\``
  })
  const input = [...files, '```approve\nPay?\n{{ message.said }}\n```'].join('\n\n')
  const { agent_id } = await sdk.agents.create({
    name: 'Asks with texts of strangers',
    build: { config: { version: 'v2', data: { input } } },
  })
  const parts = Array.from({ length: Math.ceil(texts.length / inRequest) }, (_, at) =>
    texts.slice(at * inRequest, (at + 1) * inRequest).map((text) => text.replaceAll('`', '')),
  )
  return Promise.all(
    parts.map(async (part, at) => {
      const message = { said: part.join('\n\n'), has_files: at === 0 }
      const { id, status, error } = await sdk.runs.startAndWait({ agent_id, message }, { timeoutMs: 120_000 })
      assert.equal(status, 'waiting', error?.message)
      return id
    }),
  )
}

/** Texts in the title, the data, the template and the chat of a page. */
export async function plantArtifact(sdk: Runyard, texts: string[]): Promise<string> {
  // a message has at most 10,000 characters
  const some = asWritten(texts.slice(0, 30).map((text) => text.slice(0, 120)))
  const js = `\`\`\`js id=texts\nconsole.log(${some}.join('\\n'))\n\`\`\``
  const html = '```html\n<p title="{{ data.texts.stdout }}">{{ data.texts.stdout }}</p>\n```'
  const { artifact_id } = await sdk.artifacts.create({
    title: (texts[2] ?? '').slice(0, 100) || 'Texts',
    message: `${js}\n\n${html}`,
  })
  await untilPage(sdk, artifact_id, 1)
  return artifact_id
}

/** A server whose tools are called and described by the texts, and a receiver that answers with them. */
export async function plantOutside(sdk: Runyard, texts: string[]): Promise<{ connection: string; delivery: string }> {
  const said = inFours(texts).map((four) => four.map((text) => text.slice(0, 300)))
  const tools = said.map((four, at) => ({
    name: `tool_${at}`,
    title: four[0] ?? '',
    description: four.join('\n'),
  }))
  const [mcp, receiver] = await Promise.all([startMcpServer({ tools }), startReceiver()])
  receiver.answer(500, {}, said.flat().join('\n').slice(0, 4000))
  const url = `${receiver.url}/javascript:alert(1)//'onerror='alert(2)'`
  await sdk.webhooks.create({ url, events: ['run.completed'] })
  const name = '<img src=x onerror=alert(1)> "\'><script>alert(2)</script>'
  const { connection_id } = await sdk.connections.create({ name, type: 'custom_mcp', server_url: mcp.url })
  assert.equal((await sdk.connections.test(connection_id)).success, true)
  const { agent_id } = await sdk.agents.create({
    name: 'Tells a receiver',
    build: {
      config: { version: 'v2', data: { input: '```output\n{{ message }}\n```', connections: [connection_id] } },
    },
  })
  await sdk.runs.startAndWait({ agent_id, message: said.flat().join(' ').slice(0, 5000) })
  return { connection: connection_id, delivery: (await untilGivenUp(sdk, 1)).id }
}

/** Texts as names of members, of their keys and OAuth clients, and of the browsers they signed in with. Each member is in the audit log. */
export async function plantPeople(sdk: Runyard, { baseUrl }: Service, texts: string[]): Promise<void> {
  await Promise.all(
    texts.map(async (text) => {
      const { id, key } = await makeMember(sdk, text.slice(0, 100), 'admin')
      const theirs = new Runyard({ apiKey: key, baseUrl })
      await Promise.all([
        theirs.oauthClients.create({ name: text.slice(0, 100), scopes: ['team:read'] }),
        theirs.apiKeys.create({ user_id: id, name: text.slice(0, 100), scopes: ['team:read'] }),
        signIn(baseUrl, key, text),
      ])
    }),
  )
}

/** As a browser does it that calls itself by the text. */
async function signIn(baseUrl: string, key: string, text: string): Promise<void> {
  const answer = await fetch(`${baseUrl}/auth/sign-in`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-runyard-client': 'console',
      'user-agent': text.replaceAll(/[^ -~]/g, ''),
      origin: baseUrl,
      'sec-fetch-site': 'same-origin',
    },
    body: JSON.stringify({ api_key: key }),
  })
  assert.equal(answer.status, 204)
}

/** Mails to oneself that a mail server refused with the texts. */
export async function plantMails(sdk: Runyard, { dataDir }: Service, texts: string[]): Promise<void> {
  const { profile } = await sdk.teams.profile()
  const client = new Client({ connectionString: databaseOf(dataDir) })
  await client.connect()
  try {
    await sqlOn(client)`
      insert into mails (id, team_id, member_id, purpose, address, state, attempts, problem, settled_at)
      select gen_random_uuid(), m.team_id, m.id, 'test', 'night@example.com', 'failed', 1, s.problem, now()
      from members m, unnest(${texts}::text[]) as s (problem) where m.id = ${profile.id}`
  } finally {
    await client.end()
  }
}
