// Turns of a runbook that join the write before them: how many writes a run takes, and what is left of them when one cannot be written.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, suite } from 'node:test'
import { proves } from '../../../test/kit/proves.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../test/kit/runs.ts'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'

const service = await testApp({ config: { allowPrivateHosts: ['127.0.0.1'] } })
const { sql } = service.context.db

const calls: string[] = []
/** What the server does before it answers. */
let beforeAnswer = async (): Promise<void> => undefined
const server = createServer((request, response) => {
  calls.push(request.url ?? '')
  void beforeAnswer().then(() => response.end('ok'))
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
after(() => {
  server.closeAllConnections()
  server.close()
})
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const fenced = (head: string, body: string) => `\`\`\`${head}\n${body}\n\`\`\`\n`
const inside = (path: string) => fenced(`memory path=${path} on_error=continue`, 'Last: {{ message }}')
const outside = (path: string) => fenced('http', `POST ${url}/${path}`)

async function runOf(procedure: string) {
  const team = await seedTeam(service)
  const runId = await startRun(team, await seedAgent(team, procedure), { message: 'hello' })
  return { team, runId }
}

/** The kinds of events of each write, in order. */
const writesOf = async (runId: string): Promise<string[]> => {
  const rows = await sql<{ kinds: string }>`select kinds from event_batches where run_id = ${runId} order by last`
  return rows.map(({ kinds }) => kinds)
}

const stepsOf = (runId: string) => sql<{ turn: number; state: string; attempt: number; tool: string }>`
  select turn, state, attempt, tool from run_steps where run_id = ${runId} order by seq`

suite('the turns of a runbook', () => {
  proves('runs.joined', 'that call only our own database are one write with the end of the run', async () => {
    const { team, runId } = await runOf([inside('a.md'), inside('b.md'), inside('c.md')].join('\n'))
    await drainRuns(service)
    const { status, usage } = await readRun(team, runId)
    assert.deepEqual([status, usage.steps], ['completed', 3])
    assert.deepEqual(await writesOf(runId), ['m', 's', 'mmtmmtmmtmc'])
    assert.deepEqual(
      (await stepsOf(runId)).map(({ turn, state }) => [turn, state]),
      [1, 2, 3].map((turn) => [turn, 'done']),
    )
    const told = (await readEvents(service, runId)).flatMap(({ data }) => data.message?.seq ?? [])
    assert.deepEqual(told, [1, 2, 3, 4, 5, 6, 7, 8])
  })

  proves(
    'runs.joined',
    'that act outside are begun with the result before them, and the last result ends the run',
    async () => {
      calls.length = 0
      const { team, runId } = await runOf([outside('1'), outside('2'), outside('3')].join('\n'))
      await drainRuns(service)
      assert.deepEqual([(await readRun(team, runId)).status, calls], ['completed', ['/1', '/2', '/3']])
      assert.deepEqual(await writesOf(runId), ['m', 's', 'm', 'mtm', 'mtm', 'mtmc'])
    },
  )

  proves('runs.joined', 'are more than one write where there are many, and their log is whole', async () => {
    const names = Array.from({ length: 50 }, (_, n) => `${n}.md`)
    const { team, runId } = await runOf(names.map(inside).join('\n'))
    await drainRuns(service)
    const { status, usage } = await readRun(team, runId)
    assert.deepEqual([status, usage.steps], ['completed', 50])
    const writes = await writesOf(runId)
    assert.ok(writes.length > 3 && writes.length < 10, writes.join(' '))
    const files = await sql`select from memory_files f join runs r on r.agent_id = f.agent_id where r.id = ${runId}`
    assert.equal(files.length, 50)
    await readEvents(service, runId)
  })

  proves('runs.joined', 'stop at the limit of steps as if each were written alone', async () => {
    const team = await seedTeam(service)
    const agentId = await seedAgent(team, [inside('a.md'), inside('b.md'), inside('c.md')].join('\n'))
    const runId = await startRun(team, agentId, { limits: { max_steps: 2 } })
    await drainRuns(service)
    const { status, error, usage } = await readRun(team, runId)
    assert.deepEqual([status, error.code, usage.steps], ['failed', 'limit_reached', 2])
    assert.equal((await stepsOf(runId)).length, 2)
  })
})

suite('a call that joined', () => {
  proves(
    'runs.joined',
    'and that the database refuses fails alone: what came before it and after it is written',
    async (t) => {
      await sql`create function refuse_file() returns trigger language plpgsql as $$ begin raise exception 'refused'; end $$`
      await sql`
      create trigger refuse_file before insert on memory_files for each row when (new.path = 'bad.md') execute function refuse_file()`
      t.after(() => sql`drop function refuse_file() cascade`)
      const { team, runId } = await runOf([inside('a.md'), inside('b.md'), inside('bad.md'), inside('d.md')].join('\n'))
      await drainRuns(service)
      assert.equal((await readRun(team, runId)).status, 'completed')
      assert.deepEqual(
        (await stepsOf(runId)).map(({ turn, state, attempt }) => [turn, state, attempt]),
        [
          [1, 'done', 1],
          [2, 'done', 1],
          [3, 'failed', 1],
          [4, 'done', 1],
        ],
      )
      await readEvents(service, runId)
    },
  )

  proves(
    'runs.joined',
    'is made once although somebody spoke before it was written, and the run ends only after it has read that',
    async (t) => {
      calls.length = 0
      const { team, runId } = await runOf([outside('1'), outside('2')].join('\n'))
      t.after(() => (beforeAnswer = async () => undefined))
      beforeAnswer = async () => {
        const { status } = await team.call(`POST /v2/runs/${runId}/messages`, {
          body: { message: `after ${calls.length}` },
        })
        assert.equal(status, 201)
      }
      await drainRuns(service)
      assert.deepEqual([(await readRun(team, runId)).status, calls], ['completed', ['/1', '/2']])
      const said = await sql<{ role: string; type: string }>`
      select role, type from run_messages where run_id = ${runId} order by seq`
      assert.deepEqual(
        said.map(({ role, type }) => `${role} ${type}`),
        [
          'user text',
          'assistant tool_call',
          'user text',
          'tool tool_result',
          'assistant tool_call',
          'user text',
          'tool tool_result',
          'assistant text',
        ],
      )
      assert.deepEqual(
        (await stepsOf(runId)).map(({ state, attempt }) => [state, attempt]),
        [
          ['done', 1],
          ['done', 1],
        ],
      )
    },
  )
})
