// Look-ups of credentials: no caller gets an answer that is older than a second, however long the database takes.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { seedTeam } from '../../test/kit/seed.ts'
import { testApp } from '../../test/kit/testApp.ts'
import { openDatabase, type Sql } from '../base/db.ts'
import { proves } from '../../test/kit/proves.ts'
import { createCredentials } from './credential.ts'

proves(
  'credentials.revoked',
  'who comes a second after a look-up began does not share its answer: the key may have been revoked since',
  async () => {
    const service = await testApp()
    const team = await seedTeam(service)
    const { sql } = service.context.db
    const goesOn = Promise.withResolvers<void>()
    const isRead = Promise.withResolvers<void>()
    /** The database has read the row, and stands still before it answers. */
    const slow = (async (...asked: Parameters<Sql>) => {
      const rows = await sql(...asked)
      isRead.resolve()
      await goesOn.promise
      return rows
    }) as Sql
    let now = 0
    const credentials = createCredentials(slow, () => now)
    const early = credentials.find(team.key)
    await isRead.promise
    await sql`update api_keys set revoked_at = now() where team_id = ${team.id}`
    now = 1000
    const late = credentials.find(team.key)
    goesOn.resolve()
    assert.equal((await early)?.team_id, team.id)
    assert.equal(await late, undefined)
    assert.equal(await credentials.find(team.key), undefined)
  },
)

proves(
  'credentials.revoked',
  'a transaction that asks for a credential needs no second connection, and sees at once that it was revoked',
  async () => {
    const service = await testApp()
    const team = await seedTeam(service)
    const { log, db } = service.context
    const single = openDatabase({ address: db.address, log, connectionsMax: 1 })
    after(() => single.close())
    let now = 0
    const credentials = createCredentials(single.sql, () => now)
    assert.equal((await credentials.find(team.key))?.team_id, team.id)
    now = 1000
    await single.transaction(async (own) => {
      assert.equal((await credentials.find(team.key, own))?.team_id, team.id)
      await db.sql`update api_keys set revoked_at = now() where team_id = ${team.id}`
      assert.equal(await credentials.find(team.key, own), undefined)
    })
  },
)
