// Encrypted connections to several hosts: the name that a certificate must have is that of the host it comes from.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { databaseHosts } from '../src/base/databaseHosts.ts'
import { connectionSettings } from '../src/base/db.ts'
import { connectionUrl } from '../src/base/embeddedPostgres.ts'
import { hostUrls } from '../src/base/hostList.ts'
import { createLog } from '../src/base/log.ts'
import { SessionClient } from '../src/base/session.ts'
import { findServer, startExternalServer } from './kit/externalServer.ts'
import { proves } from './kit/proves.ts'
import { selfSigned, type Identity } from './kit/selfSigned.ts'

const server = await startExternalServer(await findServer())
const address = await server.newDatabase()
after(() => server.remove())

/** The same server by its address and by its name, which must prove who it is. */
async function hostsWith(identity: Identity) {
  const ca = await server.useCertificate(identity)
  const hosts = `127.0.0.1:${server.port},localhost:${server.port}`
  const url = `${connectionUrl(address).replace(/127\.0\.0\.1:\d+/, hosts)}?sslmode=verify-full&sslrootcert=${ca}`
  return databaseHosts({ urls: hostUrls(url), env: 'DATABASE_URL', log: createLog('silent') })
}

const fitting = [
  { of: 'the name', identity: selfSigned('localhost', { isForAddress: false }), host: 'localhost' },
  { of: 'the address', identity: selfSigned('other.example'), host: '127.0.0.1' },
]

/** What a look found, once the server has read its new certificate. */
async function foundBy(hosts: Awaited<ReturnType<typeof hostsWith>>): Promise<string> {
  for (;;) {
    try {
      await hosts.find()
      return new URL(hosts.address().url).hostname
    } catch (error) {
      const { message } = error as Error
      // until then it has none, or that of the test before
      if (!/does not support SSL|self-signed certificate/.test(message)) return message
    }
  }
}

for (const { of, identity, host } of fitting) {
  proves(
    'postgres.encrypted',
    `of two hosts the one whose certificate has ${of} that was asked for is used`,
    async (t) => {
      const hosts = await hostsWith(identity)
      assert.equal(await foundBy(hosts), host)
      const client = new SessionClient(connectionSettings(hosts.address()))
      await client.connect()
      t.after(() => client.end())
      const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()')
      assert.deepEqual(rows, [{ ssl: true }])
    },
  )
}

proves(
  'postgres.encrypted',
  'hosts whose certificate has another name are refused with a sentence that says so',
  async () => {
    const hosts = await hostsWith(selfSigned('other.example', { isForAddress: false }))
    assert.match(
      await foundBy(hosts),
      /127\.0\.0\.1:\d+ says ".*127\.0\.0\.1 is not in the cert's list.*; localhost:\d+ says ".*Host: localhost\. is not in the cert's altnames/,
    )
  },
)
