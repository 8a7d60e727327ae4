// Runs from the command line against a real service: in pipes with their exit codes, and in a real pseudo-terminal.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import type { Run } from '../../sdk/src/index.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { linesOf, lineWith } from './lines.ts'
import { openService, requireFit, type TestedService } from './service.ts'
import { noTerminal, Screen } from './terminal.ts'

const output = '```output\ndone: {{ message }}\n```\n'
const asks = `\`\`\`ask\nMay it continue?\n\`\`\`\n${output}`
const approves = '```approve id=order\nOrder {{ message.count }} boxes?\n```\n```output\nordered\n```\n'
const fails = '```http\nGET http://127.0.0.1:1/nobody\n```\n'
const hostile = '\u001b[31mred\u009b2J\u202e'

// oxlint-disable-next-line no-control-regex -- these are the ones
const steering = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202e]/

const idIn = (text: string): string => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(text)?.[0] ?? assert.fail(`no id in ${text}`)
const withoutFigures = (text: string): string =>
  text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'ID').replaceAll(/ +\d+(\.\d)?s\b/g, ' TIME')

describe('runs from the command line', () => {
  let service: TestedService
  before(async () => {
    service = await openService()
    await service.agent('Quick', output)
    await service.agent('Asks', asks)
    await service.agent('Approves', approves)
    await service.agent('Waits', '```wait\n1h\n```\n')
  })
  after(() => service.close())

  proves('cli.run', 'a run is started with its input, and its id is all that goes to stdout', async () => {
    const { code, stdout, stderr } = await service.line(['run', 'quick', '--title', 'Once', '--idempotency-key', 'one'])
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' })
    assert.equal(stdout, `${idIn(stdout)}\n`)
    const again = await service.line(['run', 'Quick', '--title', 'Once', '--idempotency-key', 'one'])
    assert.equal(again.stdout, stdout)
    const json = await service.line(['run', 'Quick', '--json'])
    requireFit(JSON.parse(json.stdout), 'startRun', 'run')

    const file = join(service.folder, 'input.json')
    await writeFile(file, '{"from":"file"}')
    const given: [string, string | undefined, string][] = [
      ['plain text', undefined, 'done: plain text'],
      ['{"a":1}', undefined, 'done: {"a":1}'],
      [`@${file}`, undefined, 'done: {"from":"file"}'],
      ['-', '{"from":"stdin"}', 'done: {"from":"stdin"}'],
    ]
    for (const [input, piped, expected] of given) {
      const waited = await service.line(['run', 'Quick', '--wait', '--input', input], piped)
      assert.deepEqual([waited.code, waited.stdout], [0, `${expected}\n`])
    }
  })

  proves('cli.run', 'what is wrong is one sentence and an exit code', async () => {
    const wrong: [string[], number, RegExp][] = [
      [['run', 'Nobody'], 1, /There is no agent "Nobody". There are .*"Quick"/],
      [['run', 'Quick', '--input', '{"a"'], 64, /--input is not JSON/],
      [['run', 'Quick', '--input', '@/nowhere'], 1, /The input cannot be read/],
      [['run', 'Quick', '--timeout', '5s'], 64, /goes with --wait/],
      [['run', 'Quick', '--wait', '--timeout', 'soon'], 64, /a length of time such as/],
      [['run'], 64, /It takes: runyard run AGENT/],
      [['runs', 'show', 'x'], 1, /./],
    ]
    for (const [words, code, says] of wrong) {
      const outcome = await service.line(words)
      assert.match(outcome.stderr, says)
      assert.deepEqual([outcome.code, outcome.stdout, linesOf(outcome.stderr).length], [code, '', 1], words.join(' '))
    }
    await service.agent('Twice', output)
    await service.agent('Twice', output)
    assert.match((await service.line(['run', 'Twice'])).stderr, /2 agents are called "Twice". Give the id of one/)
  })

  proves('cli.exit', 'the exit code says how the run ended, and the sentence what to do', async () => {
    await service.agent('Fails', fails)
    const failed = await service.line(['run', 'Fails', '--wait'])
    assert.deepEqual([failed.code, failed.stdout], [1, ''])
    assert.match(failed.stderr, /The run failed: .* See: runyard runs show /)

    const asked = await service.line(['run', 'Asks', '--wait'])
    assert.deepEqual([asked.code, asked.stdout], [5, ''])
    assert.match(asked.stderr, /needs a person: May it continue\? Answer with: runyard inbox answer /)

    const late = await service.line(['run', 'Waits', '--wait', '--timeout', '300ms'])
    assert.deepEqual([late.code, late.stdout], [124, ''])
    const waiting = idIn(late.stderr)
    assert.match(late.stderr, new RegExp(`It continues. Follow it with: runyard runs tail ${waiting}`))

    const stopped = await service.line(['runs', 'stop', waiting, '--json'])
    requireFit(JSON.parse(stopped.stdout), 'stopRun')
    assert.equal((await service.line(['runs', 'tail', waiting])).code, 3)
    assert.match((await service.line(['runs', 'stop', waiting])).stderr, /./)
    const signedOut = { ...service.env, RUNYARD_API_KEY: 'ry_wrong' }
    assert.equal((await lineWith(['runs'], signedOut)).code, 4)
  })

  proves('cli.json', 'with --json, what is printed fits the schemas of the API', async () => {
    const followed = await service.line(['run', 'Quick', '--follow', '--json'])
    const events = linesOf(followed.stdout).map((line) => JSON.parse(line) as { event: string })
    assert.deepEqual([events[0]?.event, events.at(-1)?.event], ['run.started', 'end'])
    const waited = await service.line(['run', 'Quick', '--wait', '--json'])
    assert.equal(waited.stderr, '')
    const run = JSON.parse(waited.stdout) as Run
    requireFit(run, 'getRun', 'run')
    const parts: [string[], string, ...string[]][] = [
      [['runs', 'show', run.id], 'getRun', 'run'],
      [['runs', 'why', run.id], 'explainRun'],
      [['runs', 'retry', run.id], 'retryRun', 'run'],
      [['runs', 'retry', run.id, '--wait'], 'getRun', 'run'],
    ]
    for (const [words, operation, ...path] of parts) {
      requireFit(JSON.parse((await service.line([...words, '--json'])).stdout), operation, ...path)
    }
    const rows = linesOf((await service.line(['runs', '--json', '--agent', 'Quick'])).stdout)
    for (const row of rows) requireFit(JSON.parse(row), 'listRuns', 'data', '[]')
    assert.match((await service.line(['runs', 'show', run.id])).stdout, /^Run +.*\n.*\nAgent +Quick /)
    assert.match((await service.line(['runs', 'tail', run.id])).stdout, /run\.completed +completed\n$/)
  })

  proves('cli.harmless', 'what others wrote cannot steer the terminal', { skip: noTerminal }, async () => {
    await service.agent(hostile, `\`\`\`output\n${hostile}\n\`\`\`\n`)
    const { id } = (await service.sdk.agents.list({ limit: 1 }).page()).agents[0] ?? assert.fail('no agent')
    const started = await service.sdk.runs.startAndWait({ agent_id: id, title: hostile })
    for (const words of [
      ['runs', 'show', started.id],
      ['run', 'x\u001b[31m'],
    ]) {
      const { stdout, stderr } = await service.line(words)
      assert.doesNotMatch(stdout + stderr, steering, words.join(' '))
    }
    for (const words of [['runs'], ['run', id, '--wait']]) {
      const terminal = service.terminal(words, { NO_COLOR: '1' })
      await terminal.exited
      assert.doesNotMatch(terminal.bytes(), steering, words.join(' '))
    }
    const json = service.terminal(['runs', 'show', started.id, '--json'])
    await json.exited
    assert.doesNotMatch(json.bytes(), /[\u007f-\u009f\u202e]/)
    assert.equal((JSON.parse(json.bytes()) as Run).title, started.title)
  })

  proves('cli.terminal', 'a run is watched in a terminal of 80 columns', { skip: noTerminal }, async () => {
    const terminal = service.terminal(['run', 'Asks', '--wait', '--input', 'hello'])
    await terminal.shows('Answer (Esc: later):')
    terminal.type('yes!\u007f\r')
    assert.equal(await terminal.exited, 0)
    assert.equal(
      withoutFigures(terminal.screen.text()),
      [
        'Run ID',
        '',
        'May it continue?',
        '  question of run ID, asked TIME ago',
        'Answer (Esc: later): yes',
        '✓ human_ask  May it continue? TIME',
        '✓ completed TIME · 1 step',
        'done: hello',
      ].join('\n'),
    )
    assert.deepEqual(terminal.screen.unknown, [])
    assert.ok(terminal.bytes().includes('\u001b[32m✓'))
  })

  proves(
    'cli.terminal',
    'an approval shows the exact action and is answered with a key',
    { skip: noTerminal },
    async () => {
      // typed before there is something to approve: it must not count
      const terminal = service.terminal(['run', 'Approves', '--wait', '-i', '{"count":3}'], { NO_COLOR: '1' }, 'a')
      await terminal.shows('a approve · r reject · l later:')
      terminal.type('r')
      await terminal.shows('Reason')
      terminal.type('Too many\r')
      await terminal.exited
      assert.match(terminal.screen.text(), /Action: human_approve\n {2}approval of run /)
      // oxlint-disable-next-line no-control-regex -- colours
      assert.doesNotMatch(terminal.bytes(), /\u001b\[\d*m/)
      const { human_requests } = await service.sdk.humanRequests.list({ status: 'responded', limit: 1 }).page()
      assert.partialDeepStrictEqual(human_requests[0]?.response, { approved: false, comment: 'Too many' })
    },
  )

  proves('cli.interrupt', 'Ctrl-C at a question leaves the run waiting for it', { skip: noTerminal }, async () => {
    const terminal = service.terminal(['run', 'Approves', '--wait'])
    await terminal.shows('a approve')
    terminal.type('\u0003')
    assert.equal(await terminal.exited, 130)
    const id = idIn(terminal.screen.text())
    const said = terminal.screen.text()
    assert.ok(said.endsWith(`\nThe run ${id} continues.\n  Follow it with: runyard runs tail ${id}`), said)
    assert.equal((await service.sdk.runs.get(id)).status, 'waiting')
  })
})

proves('cli.terminal', 'the screen of the tests does what a terminal does', () => {
  const screen = new Screen()
  screen.write('one\r\ntwo\r\nthree')
  screen.write('\u001b[1A\r\u001b[Jnew\u001b[31m!\u001b[0m\r\n')
  screen.write('x'.repeat(81))
  assert.equal(screen.text(), `one\nnew!\n${'x'.repeat(80)}\nx`)
})
