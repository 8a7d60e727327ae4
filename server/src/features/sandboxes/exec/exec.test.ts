// Commands in workspaces: of runs and of callers, what stays of them, and what a crash leaves.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { before, suite } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { newId } from '../../../base/ids.ts'
import type { Sql } from '../../../base/db.ts'
import { engineOf } from '../../../engine/engine.ts'
import { drainRuns, readEvents, readRun, seedAgent, startRun } from '../../../../test/kit/runs.ts'
import { seedTeam, type TestTeam } from '../../../../test/kit/seed.ts'
import { testApp } from '../../../../test/kit/testApp.ts'
import type { LocalDriverName } from '../../../drivers/sandbox/sandbox.ts'
import { driversUnderTest } from '../../../../test/kit/sandboxDrivers.ts'
import { proves } from '../../../../test/kit/proves.ts'

const block = (words: string, body: string) => `\`\`\`${words}\n${body}\n\`\`\`\n\n`
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
/** Runs until somebody renames the file that it makes, however long that takes: `letEnd` does. */
const held = 'touch held; until [ -e go ]; do sleep 0.05; done'
/** Whoever looks without a pause takes the processor from the child that it waits for. */
const lookEveryMs = 10

for (const { name: sandbox, skip } of await driversUnderTest()) {
  suite(`with ${sandbox}`, { skip }, () => commandsIn(sandbox))
}

async function commandsIn(sandbox: LocalDriverName): Promise<void> {
  const service = await testApp({ config: { sandbox } })
  const { db, config } = service.context
  const team = await seedTeam(service)

  /** The rows of a workspace that are current, by path. */
  async function filesOf(runId: string): Promise<Record<string, string>> {
    const rows = await db.sql<{ path: string; shown: string }>`
      select f.path, case f.kind when 'file' then convert_from(string_agg(c.bytes, '' order by c.n), 'utf8')
          || case when f.is_executable then ' (executable)' else '' end
        when 'link' then '-> ' || f.link_target else '(empty folder)' end as shown
      from sandboxes s join workspace_files f on f.sandbox_id = s.id and f.until_step is null
      left join blobs b on b.sha256 = f.sha256 left join blob_chunks c on c.blob_id = b.id
      where s.run_id = ${runId} group by f.path, f.kind, f.is_executable, f.link_target`
    return Object.fromEntries(rows.map(({ path, shown }) => [path, shown]))
  }

  async function runProcedure(procedure: string, of: TestTeam = team, body = {}): Promise<string> {
    const runId = await startRun(of, await seedAgent(of, procedure), body)
    await drainRuns(service)
    return runId
  }

  /** Where workspaces lie while commands run in them. */
  async function roomsOf(): Promise<string[]> {
    const names = await readdir(join(config.dataDir, 'sandboxes'))
    return names
      .filter((name) => name.includes(`+${process.pid}+`))
      .map((name) => join(config.dataDir, 'sandboxes', name))
  }

  /** Waits for it, and lets the commands end that are held. */
  async function letEnd<Value>(work: Promise<Value>): Promise<Value> {
    const over = new AbortController()
    void work.catch(() => undefined).finally(() => over.abort())
    for (; !over.signal.aborted; await pause(lookEveryMs)) {
      for (const room of await roomsOf())
        for (const folder of await readdir(room)) {
          // only where a command waits: a folder whose command has ended is just being removed, and a new file would keep it there
          await rename(join(room, folder, 'held'), join(room, folder, 'go')).catch(() => undefined)
        }
    }
    return work
  }

  const newSandbox = async (): Promise<string> => (await team.call('POST /v2/sandboxes', { body: {} })).body.sandbox_id
  const exec = (id: string, command: string, body = {}) =>
    team.call(`POST /v2/sandboxes/${id}/exec`, { body: { command, ...body } })

  suite('a run', () => {
    proves(
      'sandbox.exec',
      'runs bash, python and js in one workspace, and each finds the files of the one before',
      async () => {
        const procedure =
          block(
            'bash',
            'mkdir -p out && echo one > out/a.txt && mkdir empty && echo "exit 0" > go.sh && chmod +x go.sh',
          ) +
          block('python', "open('/workspace/out/b.txt', 'w').write(open('out/a.txt').read() + 'two')") +
          block(
            'js id=last',
            "const fs = require('fs'); console.log(fs.readFileSync('/workspace/out/b.txt', 'utf8'))",
          ) +
          block('bash', 'rm go.sh && echo "" > touched') +
          block('output', '{{ steps.last.output.stdout }}')
        const runId = await runProcedure(procedure)
        const run = await readRun(team, runId)
        assert.deepEqual([run.status, run.output, run.error], ['completed', 'one\ntwo\n', null])
        assert.deepEqual(await filesOf(runId), {
          '/workspace/empty': '(empty folder)',
          '/workspace/out/a.txt': 'one\n',
          '/workspace/out/b.txt': 'one\ntwo',
          '/workspace/touched': '\n',
        })
        const told = (await readEvents(service, runId)).filter(({ event }) => event === 'run.file.created')
        assert.deepEqual(
          told.map(({ data }) => [data.path, data.sha256]),
          [
            ['/workspace/go.sh', sha256('exit 0\n')],
            ['/workspace/out/a.txt', sha256('one\n')],
            ['/workspace/out/b.txt', sha256('one\ntwo')],
            ['/workspace/touched', sha256('\n')],
          ],
        )
        assert.equal(typeof run.sandbox_id, 'string')
      },
    )

    proves(
      'sandbox.exec',
      'reads in a command what a tool wrote, and by a tool what a command wrote, in whatever order',
      async () => {
        const procedure =
          block('file path=in.txt', 'from the tool') +
          block('bash', 'cat in.txt > out.txt') +
          block('file path=in.txt', 'again') +
          block('bash', 'cat in.txt >> out.txt') +
          block('tool name=sandbox_read_file id=read', '{"path": "out.txt"}') +
          block('output', '{{ steps.read.output.content }}')
        const run = await readRun(team, await runProcedure(procedure))
        assert.deepEqual([run.output, run.error], ['from the toolagain', null])
      },
    )

    proves('sandbox.exit', 'fails at a command that fails, and gets its exit code and what it printed', async () => {
      const run = await readRun(team, await runProcedure(block('bash', 'echo half; echo broken >&2; exit 3')))
      assert.equal(run.status, 'failed')
      assert.match(run.error.message, /exit code 3: broken/)
    })

    proves(
      'sandbox.takeover',
      'is taken over in the middle of a command, which runs again on the files as they were',
      async () => {
        const procedure =
          block('bash', 'echo 1 > counter') + block('bash', `echo 2 >> counter; ${held}`) + block('output', 'done')
        const runId = await startRun(team, await seedAgent(team, procedure))
        const never = new AbortController().signal
        const worker = engineOf(service.context).work({ id: newId(), seats: 1, lost: () => never })
        const states = async () =>
          (await db.sql`select state from run_steps where run_id = ${runId} order by seq`).map(({ state }) => state)
        while ((await states()).join() !== 'done,intent') await pause(lookEveryMs)
        await worker.stop(0)
        assert.deepEqual(await states(), ['done', 'intent'])
        assert.deepEqual(await filesOf(runId), { '/workspace/counter': '1\n' })
        await letEnd(drainRuns(service))
        assert.equal((await readRun(team, runId)).status, 'completed')
        assert.equal((await filesOf(runId))['/workspace/counter'], '1\n2\n')
      },
    )

    proves(
      'sandbox.quota',
      'hears when its workspace is full, and what did not fit is not there for the next command',
      async () => {
        const small = await testApp({ config: { sandbox, sandboxBytesMax: 1000 } })
        const own = await seedTeam(small)
        const procedure =
          block('bash', 'echo kept > kept') +
          block('bash id=big on_error=continue', 'seq 1 2000 > big; echo more > more') +
          block('bash id=list', 'ls') +
          block('output', '{{ steps.big.error }} | {{ steps.list.output.stdout }}')
        const runId = await startRun(own, await seedAgent(own, procedure))
        await drainRuns(small)
        const run = await readRun(own, runId)
        assert.match(
          run.output,
          /^What the command wrote is not saved\. This workspace keeps 5 bytes.*RUNYARD_SANDBOX_BYTES.* \| kept\n$/,
        )
      },
    )

    proves(
      'sandbox.retry',
      'that is retried from a step begins with the files as they were before that step',
      async () => {
        const procedure =
          block('bash', 'echo 1 > a; echo 1 > b') +
          block('bash', 'echo 2 > a; rm b; echo 2 > c') +
          block('bash', 'echo 3 > a') +
          block('output', 'x')
        const runId = await runProcedure(procedure)
        const { body } = await team.call(`POST /v2/runs/${runId}/retry`, { body: { from_step: 2 } })
        assert.deepEqual(await filesOf(body.run_id), { '/workspace/a': '1\n', '/workspace/b': '1\n' })
        await drainRuns(service)
        assert.deepEqual(await filesOf(body.run_id), { '/workspace/a': '3\n', '/workspace/c': '2\n' })
        assert.equal((await readRun(team, body.run_id)).status, 'completed')
      },
    )

    proves('sandbox.tidy', 'leaves no folder behind when it is released', async () => {
      await runProcedure(block('bash', 'echo x > x') + block('approve', 'Wait?'))
      const rooms = await roomsOf()
      assert.ok(rooms.length > 0)
      for (const room of rooms) assert.deepEqual(await readdir(room), [])
    })
  })

  suite('a caller', () => {
    before(() => service.work('sandboxes'))

    proves(
      'sandbox.execSandbox',
      'runs commands in a sandbox, whose files stay and whose failures are answers',
      async () => {
        const id = await newSandbox()
        const first = await exec(id, 'echo hello > greeting; echo out; echo err >&2; exit 7')
        assert.equal(first.status, 200)
        const { duration_ms, ...said } = first.body
        assert.deepEqual(said, { exit_code: 7, stdout: 'out\n', stderr: 'err\n', truncated: false })
        assert.ok(duration_ms >= 0)
        assert.equal((await exec(id, 'cat greeting')).body.stdout, 'hello\n')
        const late = await exec(id, 'sleep 30', { timeout_s: 1 })
        assert.deepEqual([late.status, late.body.exit_code], [200, 124])
        assert.equal((await exec(id, 'cat greeting')).body.stdout, 'hello\n')
      },
    )

    proves('sandbox.quota', 'may change the files of a sandbox that holds all it can, but add none', async () => {
      const id = await newSandbox()
      await exec(id, 'echo 1 > a; echo 1 > b')
      await db.sql`update sandboxes set entries = 10000 where id = ${id}`
      assert.equal((await exec(id, 'echo 2 > a; echo 2 > b')).status, 200)
      const refused = await exec(id, 'echo 3 > a; echo 3 > c')
      assert.deepEqual([refused.status, refused.body.error], [409, 'conflict'])
      assert.match(refused.body.message, /at most 10000 files/)
      assert.equal((await exec(id, 'cat a b; ls')).body.stdout, '2\n2\na\nb\n')
    })

    proves('sandbox.held', 'finds a sandbox busy while a command runs in it, and free after', async () => {
      const id = await newSandbox()
      const slow = exec(id, `${held}; echo done`)
      const isBusy = async () => (await team.call(`GET /v2/sandboxes/${id}`)).body.status === 'busy'
      while (!(await isBusy())) await pause(lookEveryMs)
      const refused = [await exec(id, 'true'), await team.call(`DELETE /v2/sandboxes/${id}`)]
      const agentId = await seedAgent(team, block('output', 'x'))
      refused.push(await team.call(`POST /v2/teams/${team.id}/runs`, { body: { agent_id: agentId, sandbox_id: id } }))
      assert.deepEqual(
        refused.map(({ status, body }) => [status, body.error]),
        refused.map(() => [409, 'sandbox_busy']),
      )
      assert.equal((await letEnd(slow)).body.stdout, 'done\n')
      assert.equal((await exec(id, 'true')).status, 200)
    })

    proves('sandbox.execSandbox', 'answers its caller also if the database is away while it waits', async (t) => {
      const id = await newSandbox()
      const ask = db.sql
      let away = 3
      t.after(() => (db.sql = ask))
      db.sql = (...statement: Parameters<Sql>) =>
        statement[0].join('').includes('from sandbox_execs where id') && away-- > 0
          ? Promise.reject(Object.assign(new Error('the server is gone'), { code: 'ECONNRESET' }))
          : ask(...statement)
      assert.equal((await exec(id, 'echo done')).body.stdout, 'done\n')
      assert.ok(away <= 0)
    })

    proves(
      'sandbox.given',
      'gives a sandbox to a run as its workspace, to one unfinished run at a time, and has the files after',
      async () => {
        const id = await newSandbox()
        await exec(id, 'echo input > in.txt')
        const agentId = await seedAgent(
          team,
          block('bash', 'tr a-z A-Z < in.txt >> out.txt') + block('approve', 'Go on?'),
        )
        const start = () => team.call(`POST /v2/teams/${team.id}/runs`, { body: { agent_id: agentId, sandbox_id: id } })
        const started = await Promise.all([start(), start(), start()])
        assert.deepEqual(
          started.map(({ status }) => status).toSorted((a, b) => a - b),
          [201, 409, 409],
        )
        const runId = started.find(({ status }) => status === 201)!.body.run_id
        await drainRuns(service)
        assert.deepEqual(
          [(await readRun(team, runId)).status, (await readRun(team, runId)).sandbox_id],
          ['waiting', id],
        )
        // it waits, so the sandbox may be used, but not given to another
        assert.equal((await exec(id, 'cat out.txt')).body.stdout, 'INPUT\n')
        assert.equal((await start()).status, 409)
        await team.call(`POST /v2/runs/${runId}/stop`)
        const next = await start()
        assert.equal(next.status, 201)
        await drainRuns(service)
        assert.equal((await exec(id, 'cat out.txt')).body.stdout, 'INPUT\nINPUT\n')
        // retried from the start, a run finds what it found
        await team.call(`POST /v2/runs/${next.body.run_id}/stop`)
        const again = await team.call(`POST /v2/runs/${next.body.run_id}/retry`)
        assert.deepEqual(await filesOf(again.body.run_id), {
          '/workspace/in.txt': 'input\n',
          '/workspace/out.txt': 'INPUT\n',
        })
      },
    )

    proves('sandbox.otherTeam', 'of another team finds no such sandbox', async () => {
      const id = await newSandbox()
      const other = await seedTeam(service)
      const agentId = await seedAgent(other, block('output', 'x'))
      const answers = [
        await other.call(`POST /v2/sandboxes/${id}/exec`, { body: { command: 'ls' } }),
        await other.call(`POST /v2/teams/${other.id}/runs`, { body: { agent_id: agentId, sandbox_id: id } }),
      ]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [404, 404],
      )
    })
  })
}
