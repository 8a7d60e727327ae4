// The inbox and the profiles of the command line against a real service.
import assert from 'node:assert/strict'
import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe } from 'node:test'
import type { HumanRequest } from '../../sdk/src/index.ts'
import { proves } from '../../server/test/kit/proves.ts'
import { linesOf, lineWith } from './lines.ts'
import { openService, requireFit, type TestedService } from './service.ts'
import { noTerminal } from './terminal.ts'

const approves = '```approve id=order\nOrder {{ message.count }} boxes?\n```\n```output\nordered\n```\n'
const asks = '```ask\nMay it continue?\n```\n```output\n{{ steps.step_1 }}\n```\n'

describe('people at the command line', () => {
  let service: TestedService
  let approver: string
  let asker: string
  before(async () => {
    service = await openService()
    approver = await service.agent('Approves', approves)
    asker = await service.agent('Asks', asks)
  })
  after(() => service.close())

  const requestOf = async (agent_id: string, message = {}): Promise<HumanRequest> => {
    const { pendingRequest } = await service.sdk.runs.startAndWait({ agent_id, message })
    return pendingRequest?.request ?? assert.fail('the run asks nobody')
  }

  proves('signIn.open', 'a link that signs in once is made and printed', async () => {
    const made = await service.line(['open', '--print', '--json'])
    const { url } = JSON.parse(made.stdout) as { url: string }
    const [, base = '', token] = /^(http.*)\/#sign-in=(ryl_.*)$/.exec(url) ?? []
    const headers = { 'content-type': 'application/json', 'x-runyard-client': 'test', origin: base }
    const signIn = () => fetch(`${base}/auth/sign-in`, { method: 'POST', headers, body: JSON.stringify({ token }) })
    assert.equal((await signIn()).status, 204)
    assert.equal((await signIn()).status, 401)
    assert.match((await service.line(['open', '--print'])).stdout, /^http.*#sign-in=ryl_\w+\n$/)
  })

  proves(
    'cli.alerts',
    'a rule is tried, made, listed, changed and deleted, and an agent is paused and resumed',
    async () => {
      const add = ['alerts', 'add', 'Nobody answers', '--signal', 'waiting_age', '--threshold', '60', '--agent', 'Asks']
      const tried = await service.line([...add, '--try'])
      assert.match(tried.stdout, /^Oldest request to a person: .*, the threshold is 1 h\.\n$/)
      assert.equal((await service.line(['alerts', 'rules'])).stdout, '')
      const made = await service.line([...add, '--json'])
      requireFit(JSON.parse(made.stdout), 'createAlertRule', 'alert_rule')
      const again = await service.line(add)
      assert.deepEqual([again.code, again.stdout], [1, ''])
      assert.match((await service.line(['alerts', 'rules'])).stdout, /Nobody answers +waiting_age +Asks +60 min/)
      assert.equal((await service.line(['alerts'])).stdout, '')
      const wrong = await service.line(['alerts', 'add', 'Wrong', '--signal', 'cost', '--threshold', 'much'])
      assert.equal(wrong.code, 64)
      assert.match(wrong.stderr, /--threshold must be a number/)
      assert.equal((await service.line(['alerts', 'change', 'Nobody answers'])).code, 64)
      const change = ['alerts', 'change', 'Nobody answers', '--threshold', '30', '--remind', '4', '--off', '--json']
      const changed = JSON.parse((await service.line(change)).stdout)
      assert.deepEqual([changed.threshold, changed.remind_hours, changed.enabled], [30, 4, false])
      assert.match((await service.line(['alerts', 'remove', 'Nobody answers'])).stdout, /^deleted /)
      assert.equal((await service.line(['agents', 'pause', 'Asks', '-m', 'Closed.'])).stdout, 'Asks is paused.\n')
      const refused = await service.line(['run', 'Asks'])
      assert.match(refused.stderr, /Asks is paused: Closed\./)
      assert.equal((await service.line(['agents', 'resume', 'Asks'])).stdout, 'Asks is not paused.\n')
    },
  )

  proves('cli.inbox', 'requests are listed and answered by scripts', async () => {
    const order = await requestOf(approver, { count: 1 })
    const other = await requestOf(approver, { count: 2 })
    const question = await requestOf(asker)
    const listed = await service.line(['inbox', '--json'])
    assert.equal(listed.stderr, '')
    const rows = linesOf(listed.stdout).map((line) => JSON.parse(line) as HumanRequest)
    for (const row of rows) requireFit(row, 'listHumanRequests', 'human_requests', '[]')
    assert.deepEqual(
      rows.map(({ id }) => id),
      [order.id, other.id, question.id],
    )
    assert.match((await service.line(['inbox'])).stdout, /approval {2}Order 1 boxes\? +human_approve/)

    const approved = await service.line(['inbox', 'approve', order.id, '--json'])
    requireFit(JSON.parse(approved.stdout), 'respondToHumanRequest', 'human_request')
    assert.equal((await service.line(['inbox', 'reject', other.id, '--reason', 'No'])).stdout, 'responded\n')
    assert.equal((await service.line(['runs', 'tail', order.run_id])).code, 0)
    const answered = await service.line(['inbox', 'answer', question.id, '--answer', 'May it continue?=a=b', '--json'])
    const { response } = JSON.parse(answered.stdout) as { response: { answers: object } }
    assert.deepEqual(response.answers, { 'May it continue?': 'a=b' })
    assert.equal((await service.line(['inbox'])).stdout, '')
  })

  proves('cli.inbox', 'an answer that cannot be given is refused with what to do', async () => {
    const question = await requestOf(asker)
    const wrong: [string[], number, RegExp][] = [
      [['approve', '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f'], 1, /is pending\. List those that are: runyard inbox/],
      [['answer', question.id], 64, /either --answer or --values/],
      [['answer', question.id, '--values', '[]'], 64, /must be a JSON object/],
      [['answer', question.id, '--values', '{'], 64, /is not JSON/],
      [['approve', question.id], 1, /./],
    ]
    for (const [words, code, says] of wrong) {
      const outcome = await service.line(['inbox', ...words])
      assert.match(outcome.stderr, says)
      assert.deepEqual([outcome.code, outcome.stdout], [code, ''], words.join(' '))
    }
    assert.equal((await service.line(['inbox', 'answer', question.id, '-a', 'yes'])).code, 0)
  })

  proves('cli.inbox', 'in a pipe, --watch prints a line for each request until it is interrupted', async () => {
    const first = await requestOf(approver, { count: 7 })
    const [rows, json] = [service.inPipe(['inbox', '--watch']), service.inPipe(['inbox', '--watch', '--json'])]
    const events = service.inPipe(['call', 'streamTeamEvents', '--events', 'human_request.created'])
    await Promise.all([rows.lines(1), json.lines(1), events.lines(1)])
    const second = await requestOf(approver, { count: 8 })
    const printedRows = await rows.lines(2)
    for (const [index, { id }] of [first, second].entries())
      assert.match(
        printedRows[index] ?? '',
        new RegExp(`^${id} {2}approval {2}Order ${7 + index} boxes\\? {2}human_approve {2}\\d+[sm]$`),
      )
    const printedJson = (await json.lines(2)).map((line) => JSON.parse(line) as HumanRequest)
    for (const row of printedJson) requireFit(row, 'listHumanRequests', 'human_requests', '[]')
    assert.deepEqual(
      printedJson.map(({ id }) => id),
      [first.id, second.id],
    )
    const streamed = (await events.lines(2)).map((line) => JSON.parse(line) as { event: string; data: object })
    assert.deepEqual(
      streamed.map(({ event }) => event),
      ['start', 'human_request.created'],
    )
    assert.partialDeepStrictEqual(streamed[1]?.data, { human_request: { id: second.id } })
    for (const piped of [rows, json, events])
      assert.deepEqual(await piped.stop('SIGINT'), { code: 130, stderr: 'Interrupted.\n' })
    for (const { id } of [first, second]) assert.equal((await service.line(['inbox', 'approve', id])).code, 0)
  })

  proves('cli.call', 'the events of a run are printed one a line until it ends', async () => {
    const { id, run_id } = await requestOf(approver, { count: 9 })
    await service.line(['inbox', 'approve', id])
    const { code, stdout, stderr } = await service.line(['call', 'streamRunEvents', '--run-id', run_id])
    assert.deepEqual([code, stderr], [0, ''])
    const events = linesOf(stdout).map((line) => (JSON.parse(line) as { event: string }).event)
    assert.deepEqual([events[0], events.at(-2), events.at(-1)], ['run.message.created', 'run.completed', 'end'])
    const unknown = await service.line(['call', 'streamRunEvents', '--run-id', id])
    assert.deepEqual([unknown.code, unknown.stdout, linesOf(unknown.stderr).length], [1, '', 1])
  })

  proves('cli.inbox', 'in a terminal requests are chosen and answered by keys', { skip: noTerminal }, async () => {
    const order = await requestOf(approver, { count: 3 })
    await requestOf(approver, { count: 4 })
    await requestOf(asker)
    const terminal = service.terminal(['inbox'])
    await terminal.shows('3 waiting')
    terminal.type('j\u001b[Bk')
    await terminal.shows(/❯ approval {2}Order 4 boxes\?/)
    const [head, first, second, third, blank, ...chosen] = terminal.screen.text().split('\n')
    assert.equal(head, '3 waiting · ↑↓ choose · a approve · r reject · Enter answer · q quit')
    for (const line of [first, second, third]) assert.ok((line?.length ?? 0) < 80)
    assert.match(`${first}\n${second}\n${third}`, /^ {2}approval.* 3 boxes.*\n❯ approval.* 4 boxes.*\n {2}question/)
    assert.equal(blank, '')
    assert.match(chosen.join('\n'), /^Order 4 boxes\?\n {2}Action: human_approve\n {2}approval of run /)
    terminal.type('a')
    await terminal.shows(/Approved: Order 4 boxes\?\n2 waiting/)
    terminal.type('kr')
    await terminal.shows('Reason (Esc: later):')
    terminal.type('Too few\r')
    await terminal.shows('1 waiting')
    terminal.type('\r')
    await terminal.shows('Answer (Esc: later):')
    terminal.type('yes\r')
    await terminal.shows('Nothing waits for a person.')
    assert.equal(await terminal.exited, 0)
    assert.deepEqual(terminal.screen.unknown, [])
    const { human_requests } = await service.sdk.humanRequests.list({ status: 'responded', limit: 10 }).page()
    const rejected = human_requests.find(({ id }) => id === order.id)?.response as {
      approved: boolean
      comment: string
    }
    assert.deepEqual([rejected.approved, rejected.comment], [false, 'Too few'])
  })

  proves('cli.profiles', 'a key is checked, kept for its owner alone, and used', async () => {
    const { folder } = service
    const url = service.env['RUNYARD_URL'] ?? ''
    const key = service.env['RUNYARD_API_KEY'] ?? ''
    const bare = { HOME: folder }
    const line = (words: string[], piped?: string) => lineWith(words, bare, piped)
    assert.equal((await line(['runs'])).code, 4)
    assert.deepEqual((await line(['login', '--url', url], 'ry_wrong')).code, 4)
    assert.deepEqual((await line(['login', '--url', 'ftp://x'], key)).code, 64)
    assert.equal((await line(['login', '--url', `${url}/`, '--name', 'work'], `${key}\n`)).code, 0)
    const file = join(folder, '.config', 'runyard', 'profiles.json')
    assert.equal((await stat(file)).mode & 0o777, 0o600)
    assert.equal((await stat(join(folder, '.config', 'runyard'))).mode & 0o777, 0o700)

    const me = JSON.parse((await line(['whoami', '--json'])).stdout) as { from: string; url: string; profile: object }
    assert.deepEqual([me.from, me.url], ['the profile work', url])
    requireFit(me.profile, 'getProfile', 'profile')
    assert.match((await line(['whoami'])).stdout, /^Service .*\nTeam .*\nMember .* \(admin\)\nFrom .*work\n$/)
    const listed = await line(['profiles', '--json'])
    assert.ok(!listed.stdout.includes(key))
    assert.deepEqual((JSON.parse(listed.stdout) as { name: string; current: boolean }).current, true)
    // the key of one service does not go to another
    assert.equal((await line(['runs', '--url', 'http://127.0.0.1:9'])).code, 4)

    assert.equal((await line(['login', '--url', url, '--name', 'second'], key)).code, 0)
    assert.equal((await line(['profiles', 'use', 'work'])).code, 0)
    assert.match((await line(['profiles', 'use', 'nobody'])).stderr, /There are work, second\./)
    assert.match((await line(['profiles'])).stdout, /work .* yes\n/)
    const elsewhere = { ...bare, RUNYARD_URL: 'http://127.0.0.1:9', RUNYARD_API_KEY: 'other' }
    assert.equal((await lineWith(['runs', '--profile', 'second'], elsewhere)).code, 0)
    assert.equal((await line(['logout'])).code, 0)
    assert.equal((await line(['runs'])).code, 4)
    await writeFile(file, 'null')
    assert.match((await line(['runs'])).stderr, /is not a file of profiles\. Remove it and sign in again/)
  })

  proves('cli.profiles', 'a key is asked for without showing it', { skip: noTerminal }, async () => {
    const key = service.env['RUNYARD_API_KEY'] ?? ''
    const terminal = service.terminal(['login', '--name', 'typed'], { XDG_CONFIG_HOME: join(service.folder, 'config') })
    await terminal.shows('API key for http://127.0.0.1')
    terminal.type(`${key}\r`)
    assert.equal(await terminal.exited, 0)
    assert.match(terminal.screen.text(), /Signed in to http.* as .* profile typed\.$/s)
    assert.ok(!terminal.bytes().includes(key.slice(0, 8)))
  })
})
