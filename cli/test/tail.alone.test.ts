// Runs that are followed where the service refuses its stream, or breaks it off.
import assert from 'node:assert/strict'
import { proves } from '../../server/test/kit/proves.ts'
import { answerJson, localServer, refusal } from '../../sdk/test/kit/localServer.ts'
import { lineWith, linesOf } from './lines.ts'

const agent = '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f'
const run = {
  id: 'run',
  status: 'completed',
  output: 'done',
  usage: {},
  limits: {},
  created_at: new Date().toISOString(),
}
const events = [1, 2, 3].map((id) => ({ id: String(id), event: 'run.message.created', data: {} }))

proves('cli.exit', 'a run whose events cannot be read to the last one is not followed to a good end', async () => {
  let given = 0
  const { url } = await localServer((response, { path }) => {
    if (!path.endsWith('/events')) return answerJson(response, 200, { run, pending_human_request: null })
    if (given === events.length) return answerJson(response, 429, refusal('rate_limited'), { 'retry-after': '120' })
    const { id, event } = events[given]!
    given += 1
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(events[given - 1])}\n\n`)
  })
  const env = { RUNYARD_URL: url, RUNYARD_API_KEY: 'none', RUNYARD_TEAM: 'team' }
  const tailed = await lineWith(['runs', 'tail', 'run', '--json'], env)
  assert.deepEqual([tailed.code, linesOf(tailed.stdout).length], [7, events.length])
  assert.equal(
    tailed.stderr,
    'It says rate_limited. This did not end the run run. Follow it with: runyard runs tail run\n',
  )
  // who only wants the outcome still gets it
  const waited = await lineWith(['run', agent, '--wait'], env)
  assert.equal(waited.code, 0, waited.stderr)
})

proves('cli.exit', 'a command that started a run names it, whatever it is refused afterwards', async () => {
  const follow = 'ollow it with: runyard runs tail run'
  const unknown = 'The service does not know this key. This did not end the run run. Run: runyard login. Then f'
  for (const [status, code, says] of [
    [401, 4, unknown],
    [403, 7, 'This did not end the run run. F'],
    [404, 7, 'This did not end the run run. F'],
  ] as const) {
    const { url } = await localServer((response, { method }) =>
      method === 'POST'
        ? answerJson(response, 201, { run, run_id: run.id })
        : answerJson(response, status, refusal('no')),
    )
    const env = { RUNYARD_URL: url, RUNYARD_API_KEY: 'none', RUNYARD_TEAM: 'team' }
    for (const words of [
      ['run', agent, '--wait'],
      ['run', agent, '--follow'],
      ['runs', 'retry', 'earlier', '--wait'],
    ]) {
      const { code: given, stderr } = await lineWith(words, env)
      assert.deepEqual([given, stderr], [code, `It says no. ${says}${follow}\n`], `${status} ${words.join(' ')}`)
    }
  }
})

proves('cli.exit', 'a run that does not exist is a failure like others', async () => {
  const { url } = await localServer((response) => answerJson(response, 404, refusal('run_not_found')))
  const env = { RUNYARD_URL: url, RUNYARD_API_KEY: 'none', RUNYARD_TEAM: 'team' }
  const { code, stderr } = await lineWith(['runs', 'tail', 'run'], env)
  assert.deepEqual({ code, stderr }, { code: 1, stderr: 'It says run_not_found.\n' })
})
