// Settings: defaults, all bad ones at once, and names that nobody knows.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ConfigError, configurationPage, readConfig, unknownSettings } from './config.ts'
import { proves } from '../../test/kit/proves.ts'

proves('config.defaults', 'an empty environment gives the documented defaults', () => {
  const config = readConfig({ PORT: '', DATABASE_URL: '' })
  assert.equal(config.port, 4700)
  assert.equal(config.host, '127.0.0.1')
  assert.equal(config.role, 'all')
  assert.equal(config.rateLimit, 6000)
  assert.equal(config.drainS, 30)
  assert.equal(config.databaseUrl, undefined)
  assert.equal(config.portGiven, false)
  assert.deepEqual(config.allowPrivateHosts, [])
})

proves('config.allProblems', 'all bad settings are named at once, and no secret among them is repeated', () => {
  const env = {
    PORT: '80a',
    RUNYARD_ROLE: 'boss',
    DATABASE_URL: 'mysql://root:hunter2@x/y',
    RUNYARD_API_KEY: 'short',
    RUNYARD_ENCRYPTION_KEY: 'hunter2hunter2',
    RUNYARD_RATE_LIMIT: '-1',
    RUNYARD_ALLOW_PRIVATE_HOSTS: '10.0.0.0/99',
    PUBLIC_URL: 'ftp://example.com',
    LOG_LEVEL: 'loud',
  }
  assert.throws(
    () => readConfig(env),
    (error) => {
      assert.ok(error instanceof ConfigError)
      const named = error.problems.map((problem) => problem.split(' ')[0]!)
      assert.deepEqual(named.toSorted(), Object.keys(env).toSorted())
      assert.doesNotMatch(error.message, /hunter2/)
      return true
    },
  )
})

const zoneOf = (text: string) => readConfig({ RUNYARD_ZONE: text }).zone

proves('config.zone', 'a zone is a short label, as Kubernetes and Prometheus take it', () => {
  for (const good of ['b', 'eu-central-1a', 'Rack_7.2', 'z'.repeat(63)]) assert.equal(zoneOf(good), good)
  assert.equal(zoneOf(''), undefined)
  for (const bad of ['-b', 'b-', 'eu west', 'z'.repeat(64), 'a,b', 'a\nb'])
    assert.throws(() => zoneOf(bad), ConfigError, bad)
})

const headersOf = (text: string) => readConfig({ OTEL_EXPORTER_OTLP_HEADERS: text }).otlpHeaders

proves(
  'config.otlp',
  'headers for traces are read as OpenTelemetry writes them, and a bad one is refused without its value',
  () => {
    assert.deepEqual(headersOf('authorization=Bearer%20a%2Cb, x-tenant = one ,'), {
      authorization: 'Bearer a,b',
      'x-tenant': 'one',
    })
    assert.deepEqual([readConfig({}).otlpHeaders, readConfig({}).otlpEndpoint], [{}, undefined])
    for (const bad of ['hunter2', 'x=hunter2%', 'x=hunter2%0A', 'a b=hunter2']) {
      assert.throws(
        () => headersOf(bad),
        (error: Error) => error instanceof ConfigError && !error.message.includes('hunter2'),
      )
    }
  },
)

proves('config.unknown', 'a misspelled setting of ours is noticed', () => {
  assert.deepEqual(unknownSettings({ RUNYARD_RATELIMIT: '5', RUNYARD_RATE_LIMIT: '5', PATH: '/bin' }), [
    'RUNYARD_RATELIMIT',
  ])
})

test('the page of settings names each of them', () => {
  for (const name of ['PORT', 'DATABASE_URL', 'RUNYARD_DRAIN_S', 'LOG_LEVEL'])
    assert.ok(configurationPage().includes(`\`${name}\``))
})

proves(
  'mail.settings',
  'a mail server and a sender are read together, and what is wrong is named without the password',
  () => {
    const { smtp, mailFrom } = readConfig({
      RUNYARD_SMTP_URL: 'smtp://run%40yard:p%3Ass@mail.example.com',
      RUNYARD_MAIL_FROM: 'The yard <yard@example.com>',
    })
    assert.deepEqual(smtp, { host: 'mail.example.com', port: 587, isTls: false, user: 'run@yard', password: 'p:ss' })
    assert.deepEqual(mailFrom, { name: 'The yard', address: 'yard@example.com' })
    const bad: [string, string][] = [
      ['http://mail.example.com', 'yard@example.com'],
      ['smtp://hunter2:@mail.example.com', 'yard@example.com'],
      ['smtp://me:hunter2%0d@mail.example.com', 'yard@example.com'],
      ['smtp://me:hunter2%@mail.example.com', 'yard@example.com'],
      ['smtp://mail.example.com/path', 'yard@example.com'],
      ['smtp://mail.example.com', 'yard'],
      ['smtp://mail.example.com', 'a@example.com, b@example.com'],
      ['smtp://mail.example.com', 'x\r\nBcc: b@example.com <a@example.com>'],
      ['smtp://mail.example.com', ''],
      ['', 'yard@example.com'],
    ]
    for (const [url, from] of bad) {
      assert.throws(
        () => readConfig({ RUNYARD_SMTP_URL: url, RUNYARD_MAIL_FROM: from }),
        (error) =>
          error instanceof ConfigError &&
          /^RUNYARD_(SMTP_URL|MAIL_FROM) /.test(error.message) &&
          !error.message.includes('hunter2'),
        `${url} ${from}`,
      )
    }
  },
)

proves('objects.settings', 'an object store needs its keys and a name that S3 takes', () => {
  const keys = { RUNYARD_S3_ACCESS_KEY_ID: 'id', RUNYARD_S3_SECRET_ACCESS_KEY: 'secret' }
  const { blobs, s3Region, s3Downloads } = readConfig({ RUNYARD_BLOBS: 's3://my-bucket/a/b/', ...keys })
  assert.deepEqual([blobs, s3Region, s3Downloads], ['s3://my-bucket/a/b', 'us-east-1', 'through_service'])
  assert.equal(readConfig({ RUNYARD_BLOBS: 'postgres' }).blobs, undefined)
  for (const name of ['s3://', 's3://Bucket', 's3://my-bucket/../x', 's3://my-bucket//x', 'gs://my-bucket', 'disk']) {
    assert.throws(() => readConfig({ RUNYARD_BLOBS: name, ...keys }), /RUNYARD_BLOBS must be postgres, or s3:/, name)
  }
  assert.throws(() => readConfig({ RUNYARD_BLOBS: 's3://my-bucket' }), /RUNYARD_BLOBS needs RUNYARD_S3_ACCESS_KEY_ID/)
  assert.throws(() => readConfig({ RUNYARD_S3_ACCESS_KEY_ID: 'id' }), /must both be set, or neither/)
})
