// Plain calls of the packed SDK, the same in every Node and in a browser: gives the names of those that hold, and throws otherwise.

function check(isSo, what) {
  if (!isSo) throw new Error(what)
}

async function thrownBy(work) {
  try {
    await work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

const procedure = '```ask\nMay it continue?\n```\n\n```output\ndone: {{ message }}\n```'

/** `sdk` is the module; `delivery` a body with its headers and secret. */
export async function suite({ sdk, apiKey, baseUrl, delivery }) {
  const { NotFoundError, Runyard, SignatureError } = sdk
  const runyard = new Runyard({ apiKey, baseUrl })
  const tests = {
    async 'starts and waits'() {
      const config = { version: 'v2', data: { input: procedure } }
      const { agent_id } = await runyard.agents.create({ name: 'Packed', build: { config } })
      const events = []
      const run = await runyard.runs.startAndWait(
        { agent_id, message: 'größer' },
        {
          timeoutMs: 60_000,
          onEvent: ({ event }) => events.push(event),
          onRequest: (request) => request.answer({ 'May it continue?': 'yes' }),
        },
      )
      check(run.status === 'completed' && run.output === 'done: größer', `${run.status} ${run.output}`)
      check(events.includes('run.started') && events.at(-1) === 'end', events.join(' '))
    },
    async errors() {
      const error = await thrownBy(() => runyard.runs.get('01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f'))
      check(error instanceof NotFoundError && error.code === 'not_found' && error.status === 404, String(error))
      const other = await thrownBy(() => new Runyard({ apiKey: 'wrong', baseUrl, teamId: 'x' }).queues.list().page())
      check(other.status === 401, String(other))
    },
    async 'lists and streams'() {
      const { queue_id } = await runyard.queues.create({ name: `Packed ${Math.random()}` })
      const stopping = new AbortController()
      const seen = []
      const followed = (async () => {
        for await (const event of runyard.teams.events({ events: ['queue.case.created'], signal: stopping.signal })) {
          if (event.event === 'start') await add()
          else if (seen.push(event.data.case.title) === 5) return
        }
      })()
      async function add() {
        const cases = Array.from({ length: 5 }, (_, index) => ({ title: `Case ${index}` }))
        for await (const one of runyard.cases.createMany(queue_id, cases, { batchSize: 1 })) check(!one.existing, 'new')
      }
      await followed
      check(seen.join() === 'Case 0,Case 1,Case 2,Case 3,Case 4', seen.join())
      const titles = new Set()
      for await (const { title } of runyard.cases.list(queue_id, { limit: 2 })) titles.add(title)
      check(titles.size === 5, `${titles.size} of 5`)
    },
    async webhooks() {
      const { body, headers, secret } = delivery
      const event = await Runyard.webhooks.unwrap(body, headers, secret)
      check(event.event === 'run.completed', event.event)
      const error = await thrownBy(() => Runyard.webhooks.unwrap(`${body} `, headers, secret))
      check(error instanceof SignatureError, String(error))
    },
    async files() {
      const { sandbox_id } = await runyard.sandboxes.create({})
      const bytes = new Uint8Array(100_000).map((_, index) => index % 251)
      let sent = 0
      const onProgress = (progress) => (sent = progress.bytes)
      await runyard.sandboxes.upload(sandbox_id, 'a.bin', new Blob([bytes]), { onProgress })
      check(sent === bytes.length, `${sent} bytes`)
      const blob = await runyard.sandboxes.download(sandbox_id, 'a.bin')
      const back = new Uint8Array(await blob.arrayBuffer())
      check(back.length === bytes.length && back.every((byte, index) => byte === bytes[index]), 'the same bytes')
    },
  }
  const passed = []
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test()
    } catch (error) {
      throw new Error(`${name}: ${error.stack}`, { cause: error })
    }
    passed.push(name)
  }
  return passed
}
