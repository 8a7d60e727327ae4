// The link of a start: it signs the first admin in, and only where there is a console.
import assert from 'node:assert/strict'
import { proves } from '../test/kit/proves.ts'
import { seedTeam } from '../test/kit/seed.ts'
import { smallConsole } from '../test/kit/smallConsole.ts'
import { testApp } from '../test/kit/testApp.ts'
import { box } from './box.ts'
import { firstSignIn } from './firstSignIn.ts'

proves(
  'signIn.first',
  'where the console is built, a start in a terminal shows a link that signs the first admin in once',
  async () => {
    const service = await testApp({ config: { consoleDir: await smallConsole() } })
    const bare = await testApp()
    const team = await seedTeam(service)
    const baseUrl = await service.listen()
    const firstKey = { teamId: team.id, secret: undefined, isNew: false, demoAgentId: undefined }
    const running = { context: service.context, firstKey, baseUrl, place: undefined }
    const signInUrl = await firstSignIn(running)
    assert.ok(signInUrl !== undefined)
    assert.ok(signInUrl.startsWith(`${baseUrl}/#sign-in=ryl_`))
    const shown = box(service.context.config, running, { isTerminal: true, signInUrl })
    assert.ok(shown.includes(`Page      ${signInUrl}`))
    const body = { token: signInUrl.slice(signInUrl.indexOf('=') + 1) }
    const headers = { 'x-runyard-client': 'test', host: new URL(baseUrl).host, origin: baseUrl }
    const signIn = () => service.call('POST /auth/sign-in', { body, headers })
    const first = await signIn()
    assert.deepEqual([first.status, (await signIn()).status], [204, 401])
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? ''
    const profile = await service.call('GET /v2/profile', { headers: { cookie, host: headers.host } })
    assert.equal(profile.body.profile.id, team.memberId)
    assert.equal(await firstSignIn({ ...running, context: bare.context }), undefined)
    assert.equal(await firstSignIn({ ...running, baseUrl: undefined }), undefined)
  },
)
