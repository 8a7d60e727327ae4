// The page as people develop it: from Vite's own port, beside a service that takes changes only from pages of its own address.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { fileURLToPath } from 'node:url'
import { proves } from '../../server/test/kit/proves.ts'
import { seedTeam } from '../../server/test/kit/seed.ts'
import { testApp } from '../../server/test/kit/testApp.ts'
import { needsBundler } from '../../server/test/kit/needsBundler.ts'

const root = fileURLToPath(new URL('../', import.meta.url))

proves(
  'console.dev',
  'a page that Vite serves signs in and makes changes, and another page does not',
  needsBundler,
  async () => {
    const service = await testApp()
    const team = await seedTeam(service)
    process.env['RUNYARD_URL'] = await service.listen()
    const { createServer } = await import('vite')
    const vite = await createServer({
      root,
      configFile: `${root}vite.config.ts`,
      logLevel: 'silent',
      optimizeDeps: { noDiscovery: true },
      server: { port: 0, host: '127.0.0.1', hmr: false, watch: null },
    })
    after(() => vite.close())
    await vite.listen()
    const { port } = vite.httpServer!.address() as { port: number }
    const own = `http://127.0.0.1:${port}`
    const post = (path: string, body: object, headers: Record<string, string>) =>
      fetch(`${own}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-runyard-client': 'console', ...headers },
        body: JSON.stringify(body),
      })
    const other = 'http://127.0.0.1:9'
    for (const headers of [{}, { origin: other }, { origin: own, 'sec-fetch-site': 'same-site' }])
      assert.equal((await post('/auth/sign-in', { api_key: team.key }, headers)).status, 403)
    const signedIn = await post(
      '/auth/sign-in',
      { api_key: team.key },
      { origin: own, 'sec-fetch-site': 'same-origin' },
    )
    assert.equal(signedIn.status, 204, await signedIn.text())
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? ''
    const agents = `/v2/teams/${team.id}/agents`
    assert.equal((await post(agents, { name: 'Made' }, { origin: own, cookie })).status, 201)
    assert.equal((await post(agents, { name: 'Made' }, { origin: other, cookie })).status, 403)
    assert.equal((await fetch(`${own}/v2/profile`, { headers: { cookie } })).status, 200)
  },
)
