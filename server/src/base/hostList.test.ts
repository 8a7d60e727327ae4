// The hosts of a database URL, by libpq's rules.
import assert from 'node:assert/strict'
import { proves } from '../../test/kit/proves.ts'
import { ConfigError, readConfig } from './config.ts'
import { hostUrls } from './hostList.ts'

proves('postgres.hosts', 'each host of a list gets a URL with its own port and everything else that was given', () => {
  assert.deepEqual(
    hostUrls('postgres://u:p%2C@h1:5433,h2,[::1]:5435/db?sslmode=verify-full&target_session_attrs=primary'),
    [
      'postgres://u:p%2C@h1:5433/db?sslmode=verify-full',
      'postgres://u:p%2C@h2:5432/db?sslmode=verify-full',
      'postgres://u:p%2C@[::1]:5435/db?sslmode=verify-full',
    ],
  )
  assert.deepEqual(hostUrls('postgresql://u@/db?host=h1,::1&port=6000'), [
    'postgresql://u@h1:6000/db',
    'postgresql://u@[::1]:6000/db',
  ])
  assert.deepEqual(hostUrls('postgres:///db?host=h1,h2&port=6000,'), ['postgres://h1:6000/db', 'postgres://h2:5432/db'])
})

proves('postgres.hosts', 'a URL with one host stays as it is', () => {
  for (const url of ['postgres://u@h/db?sslmode=require', 'postgres://[::1]:5433/db', 'nonsense']) {
    assert.deepEqual(hostUrls(url), [url])
  }
})

const problemOf = (url: string): string => {
  try {
    readConfig({ DATABASE_URL: url })
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems.join()
  }
  throw new Error(`${url} was taken`)
}

proves('postgres.hosts', 'a list that cannot be meant is refused with a sentence', () => {
  for (const wish of ['standby', 'prefer-standby', 'read-only', 'nonsense']) {
    assert.match(
      problemOf(`postgres://a,b/db?target_session_attrs=${wish}`),
      new RegExp(`^DATABASE_URL asks for target_session_attrs=${wish}, but Runyard must write: use read-write`),
    )
  }
  assert.match(problemOf('postgres://a,,b/db'), /empty host/)
  assert.match(problemOf('postgres:///db?host=a,b,c&port=1,2'), /3 hosts and 2 ports/)
  assert.match(problemOf('postgres://a:x,b/db'), /must be a URL/)
  const url = 'postgres://a:5432,b:5433/db?target_session_attrs=read-write'
  assert.equal(readConfig({ DATABASE_URL: url }).databaseUrl, url)
})
