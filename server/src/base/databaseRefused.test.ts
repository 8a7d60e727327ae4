// Every reason why PostgreSQL refuses a connection becomes one sentence that says what to do.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { testDatabase } from '../../test/kit/postgres.ts'
import { freePort } from '../../test/survival/processes.ts'
import { ConfigError, readConfig } from './config.ts'
import { connectOrTell, DatabaseRefused } from './databaseRefused.ts'
import { connectionUrl } from './embeddedPostgres.ts'
import { proves } from '../../test/kit/proves.ts'

const address = await testDatabase()
const good = await connectOrTell(connectionUrl(address), 'test')
after(() => good.end())

async function told(url: string): Promise<string> {
  try {
    await (await connectOrTell(url, 'test')).end()
  } catch (error) {
    assert.ok(error instanceof DatabaseRefused)
    assert.equal(error.message.split('\n').length, 1)
    return error.message
  }
  throw new Error(`${url} was let in`)
}

const without = (url: string): string => {
  try {
    readConfig({ DATABASE_URL: url })
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems.join()
  }
  throw new Error(`${url} was taken`)
}

proves('start.databaseRefused', 'each refusal names its reason and what to do', async () => {
  const port = await freePort()
  assert.match(
    await told(connectionUrl({ ...address, port })),
    new RegExp(`Nothing answers at 127.0.0.1:${port}.*Start PostgreSQL there`),
  )
  assert.match(await told(connectionUrl({ ...address, password: 'wrong' })), /password is wrong.*Correct them/)
  assert.match(await told(connectionUrl({ ...address, user: 'nobody_here' })), /The user "nobody_here" or its password/)
  assert.match(
    await told(connectionUrl({ ...address, database: 'no_such' })),
    /There is no database "no_such".*createdb no_such/,
  )
  assert.match(
    await told(connectionUrl({ ...address, host: 'no-such-host.invalid' })),
    /The host no-such-host.invalid .* is not known/,
  )
  assert.match(await told(`${connectionUrl(address)}?sslmode=require`), /There is no TLS on .*sslmode/)
  assert.match(
    await told(`${connectionUrl(address)}?sslmode=verify-full&sslrootcert=/no/such/file`),
    /cannot be used: ENOENT/,
  )
})

proves('start.databaseRefused', 'an address that cannot be one is refused with the other settings', () => {
  assert.match(without('localhost:5432/runyard'), /must be a URL that begins with postgres:\/\//)
})
