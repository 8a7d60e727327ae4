// The breaker of a provider, as two processes see it.
import assert from 'node:assert/strict'
import { seedTeam } from '../../../test/kit/seed.ts'
import { testApp } from '../../../test/kit/testApp.ts'
import { proves } from '../../../test/kit/proves.ts'
import { createBreakers } from './breakers.ts'

const service = await testApp()
const { sql } = service.context.db
/** What another process knows: each has a cache of its own. */
const fresh = () => createBreakers(sql, service.context.log)

proves(
  'routes.breaker',
  'a provider that fails four times in a row is left alone by all processes, then asked by one, and free again once it answers',
  async () => {
    const { id: teamId } = await seedTeam(service)
    const account = { provider: 'anthropic', teamId, isOwn: false }
    for (let failures = 0; failures < 3; failures++) await fresh().failed(account)
    assert.equal(await fresh().isOpen(account), false)
    await fresh().failed(account)
    assert.equal(await fresh().isOpen(account), true)
    await sql`update model_breakers set open_until = now() - interval '1 second'`
    const asked = await Promise.all(Array.from({ length: 8 }, () => fresh().isOpen(account)))
    assert.equal(asked.filter((isOpen) => !isOpen).length, 1, 'one may ask')
    await fresh().failed(account)
    const [again] = await sql<{ seconds: number }>`
      select extract(epoch from open_until - now())::int as seconds from model_breakers`
    assert.ok(again!.seconds > 25, 'the second time it stays open longer')
    await sql`update model_breakers set open_until = now() - interval '1 second'`
    assert.equal(await fresh().isOpen(account), false)
    await fresh().worked(account)
    assert.equal(await fresh().isOpen(account), false)
    assert.deepEqual(await sql`select * from model_breakers`, [])
  },
)

proves('routes.breaker', 'what fails with the key of a team says nothing about the server’s', async () => {
  const { id: teamId } = await seedTeam(service)
  const own = { provider: 'openai', teamId, isOwn: true }
  for (let failures = 0; failures < 4; failures++) await fresh().failed(own)
  assert.equal(await fresh().isOpen(own), true)
  assert.equal(await fresh().isOpen({ ...own, isOwn: false }), false)
})

proves('routes.breakerOfTeam', 'what a team makes a provider refuse turns no other team away from it', async () => {
  const [hostile, other] = [await seedTeam(service), await seedTeam(service)]
  const account = { provider: 'google', teamId: hostile.id, isOwn: false }
  for (let failures = 0; failures < 40; failures++) await fresh().failed(account)
  assert.equal(await fresh().isOpen(account), true)
  assert.equal(await fresh().isOpen({ ...account, teamId: other.id }), false)
})
