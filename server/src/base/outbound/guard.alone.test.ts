// Tests of the guard: what may be saved, what may be dialled, and what the operator's exceptions open.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import { createGuard, OutboundRefused, parsePrivateHostList, systemResolve, type RefusalRule } from './guard.ts'
import { isPublicAddress } from './ip.ts'

const notFound = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' })

function guardWith(names: Record<string, string[]>, allowPrivateHosts: string[] = []) {
  const asked: string[] = []
  const resolve = async (host: string): Promise<string[]> => {
    asked.push(host)
    const addresses = names[host]
    if (addresses === undefined) throw notFound
    return addresses
  }
  return { ...createGuard({ allowPrivateHosts, resolve }), asked }
}

function refused(rule: RefusalRule) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof OutboundRefused, String(error))
    assert.equal(error.rule, rule, error.reason)
    assert.equal(error.message, error.reason)
    assert.match(error.reason, /^["A-Z].*\.$/)
    return true
  }
}

describe('checkOnSave', () => {
  test('accepts a public name and a public literal, and returns the URL as parsed', async () => {
    const guard = guardWith({ 'hooks.example': ['93.184.215.14', '2606:2800:21f:cb07::1'] })
    assert.equal(
      (await guard.checkOnSave(' HTTPS://Hooks.Example:8443/a?b#c')).href,
      'https://hooks.example:8443/a?b#c',
    )
    assert.equal((await guard.checkOnSave('http://93.184.215.14/')).href, 'http://93.184.215.14/')
    assert.equal((await guard.checkOnSave('http://[::ffff:8.8.8.8]/')).hostname, '[::ffff:808:808]')
    assert.deepEqual(guard.asked, ['hooks.example'])
  })

  test('refuses what is not an http URL, has credentials, or names port 0', async () => {
    const guard = guardWith({})
    await assert.rejects(guard.checkOnSave('not a url'), refused('url'))
    await assert.rejects(guard.checkOnSave('http://1.2.3.256/'), refused('url'))
    await assert.rejects(guard.checkOnSave('http://hooks.example:65536/'), refused('url'))
    await assert.rejects(guard.checkOnSave('ftp://hooks.example/'), refused('scheme'))
    await assert.rejects(guard.checkOnSave('file:///etc/passwd'), refused('scheme'))
    await assert.rejects(guard.checkOnSave('http://user@hooks.example/'), refused('credentials'))
    await assert.rejects(guard.checkOnSave('http://:secret@hooks.example/'), refused('credentials'))
    await assert.rejects(guard.checkOnSave('http://hooks.example:0/'), refused('port'))
    await assert.rejects(guard.checkOnSave('https://hooks.example:00/'), refused('port'))
    assert.deepEqual(guard.asked, [])
  })

  test('refuses local names without asking a resolver', async () => {
    const guard = guardWith({})
    const names = ['localhost', 'LocalHost.', 'localhost..', 'a.localhost', 'printer.local', 'local', 'db.internal.']
    for (const name of names) await assert.rejects(guard.checkOnSave(`http://${name}/`), refused('name'), name)
    for (const name of names) await assert.rejects(guard.vet(name), refused('name'), name)
    assert.deepEqual(guard.asked, [])
  })

  test('does not take a name for a local one because it merely ends alike', async () => {
    const guard = guardWith({ 'notlocalhost.example': ['1.1.1.1'], 'local.example': ['1.1.1.1'], mylocal: ['1.1.1.1'] })
    for (const name of ['notlocalhost.example', 'local.example', 'mylocal']) {
      assert.equal((await guard.checkOnSave(`http://${name}/`)).hostname, name)
    }
  })

  test('refuses a name when any of its addresses is not public, and tells the caller no address', async () => {
    const guard = guardWith({ 'mixed.example': ['93.184.215.14', '10.1.2.3'], 'odd.example': ['garbage'] })
    await assert.rejects(guard.checkOnSave('http://mixed.example/'), (error: OutboundRefused) => {
      refused('address')(error)
      assert.equal(error.address, '10.1.2.3')
      assert.ok(!error.reason.includes('10.1.2.3'))
      return true
    })
    await assert.rejects(guard.checkOnSave('http://odd.example/'), refused('address'))
  })

  test('accepts a name that does not resolve, resolves to nothing, or not in time', async () => {
    const guard = guardWith({ 'empty.example': [] })
    assert.equal((await guard.checkOnSave('http://nowhere.example/')).hostname, 'nowhere.example')
    assert.equal((await guard.checkOnSave('http://empty.example/')).hostname, 'empty.example')
    const silent = createGuard({ allowPrivateHosts: [], resolve: () => new Promise(() => {}), saveWaitMs: 20 })
    assert.equal((await silent.checkOnSave('http://silent.example/')).hostname, 'silent.example')
  })

  test('waits two seconds for a resolver by default', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const guard = createGuard({ allowPrivateHosts: [], resolve: () => new Promise(() => {}) })
    let isSaved = false
    const saving = guard.checkOnSave('http://silent.example/').then(() => (isSaved = true))
    t.mock.timers.tick(1999)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isSaved, false)
    t.mock.timers.tick(1)
    await saving
  })

  test('judges any IPv4 address alike in every spelling the URL standard knows', () => {
    const guard = guardWith({})
    fc.assert(
      fc.property(fc.ipV4Extended(), (spelling) => {
        const meaning = URL.parse(`http://${spelling}/`)?.hostname
        const check = (): URL => guard.checkUrl(`http://${spelling}/`)
        if (meaning !== undefined && isPublicAddress(meaning)) assert.equal(check().hostname, meaning)
        else assert.throws(check, OutboundRefused)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('vet', () => {
  test('resolves again at each call and returns all addresses with their family', async () => {
    const guard = guardWith({ 'hooks.example': ['2606:2800:21f:cb07::1', '93.184.215.14'] })
    const expected = [
      { address: '2606:2800:21f:cb07::1', family: 6 },
      { address: '93.184.215.14', family: 4 },
    ]
    assert.deepEqual(await guard.vet('hooks.example'), expected)
    assert.deepEqual(await guard.vet('Hooks.Example.'), expected)
    assert.deepEqual(guard.asked, ['hooks.example', 'hooks.example'])
  })

  test('takes literals through the same door, bare or bracketed, in any spelling', async () => {
    const guard = guardWith({})
    assert.deepEqual(await guard.vet('1.1.1.1'), [{ address: '1.1.1.1', family: 4 }])
    assert.deepEqual(await guard.vet('[2606:4700::1111]'), [{ address: '2606:4700::1111', family: 6 }])
    for (const host of ['127.0.0.1', '127.0.0.1..', '0x7f.1', '::1', '[::1]', '::ffff:127.0.0.1', '2130706433']) {
      await assert.rejects(guard.vet(host), refused('address'), host)
    }
    for (const host of [
      '',
      'fe80::1%eth0',
      'a/b',
      'user@1.1.1.1',
      '1.1.1.1#x',
      '1.1.1.1?x',
      '1.1.1.1\\x',
      '1.1.1.1:80',
    ]) {
      await assert.rejects(guard.vet(host), refused('url'), host)
    }
    assert.deepEqual(guard.asked, [])
  })

  test('fails with the resolver’s error, or when it found no address', async () => {
    const guard = guardWith({ 'empty.example': [] })
    await assert.rejects(guard.vet('nowhere.example'), notFound)
    await assert.rejects(guard.vet('empty.example'), /has no addresses/)
  })

  test('refuses one that has changed since it was saved', async () => {
    const names: Record<string, string[]> = { 'rebind.example': ['93.184.215.14'] }
    const guard = guardWith(names)
    await guard.checkOnSave('http://rebind.example/')
    names['rebind.example'] = ['127.0.0.1']
    await assert.rejects(guard.vet('rebind.example'), refused('address'))
  })

  test('refuses names of the hosts file that mean this machine', async () => {
    const addresses = await systemResolve('localhost')
    assert.ok(addresses.length > 0 && addresses.every((address) => !isPublicAddress(address)))
    const guard = createGuard({ allowPrivateHosts: [], resolve: () => systemResolve('localhost') })
    await assert.rejects(guard.vet('build-machine'), refused('address'))
    await assert.rejects(guard.checkOnSave('http://build-machine/'), refused('address'))
  })
})

describe('allowPrivateHosts', () => {
  test('opens a name for whatever it resolves to, and only that name', async () => {
    const guard = guardWith({ 'db.internal': ['10.0.0.9'], 'b.db.internal': ['10.0.0.9'] }, ['DB.Internal.'])
    assert.equal((await guard.checkOnSave('http://db.internal/')).hostname, 'db.internal')
    assert.deepEqual(await guard.vet('db.internal'), [{ address: '10.0.0.9', family: 4 }])
    await assert.rejects(guard.vet('b.db.internal'), refused('name'))
    await assert.rejects(guard.vet('10.0.0.9'), refused('address'))
  })

  test('opens an address or a range, in each of its spellings and for names that resolve into it', async () => {
    const names = { 'app.example': ['10.1.2.3'], 'wide.example': ['10.1.2.3', '10.2.0.0'], 'pub.example': ['1.1.1.1'] }
    const guard = guardWith(names, ['10.1.0.0/16', '::1', '[fd00::5]', '127.0.0.1'])
    for (const host of [
      '10.1.255.255',
      '[::1]',
      '[fd00::5]',
      '127.1',
      '[::ffff:127.0.0.1]',
      'app.example',
      'pub.example',
    ]) {
      await guard.checkOnSave(`http://${host}/`)
      assert.equal((await guard.vet(host)).length, 1, host)
    }
    for (const host of ['10.2.0.0', '[::2]', '[fd00::6]', '127.0.0.2', 'wide.example']) {
      await assert.rejects(guard.checkOnSave(`http://${host}/`), refused('address'), host)
      await assert.rejects(guard.vet(host), refused('address'), host)
    }
  })

  test('opens a local name only when a range holds all its addresses', async () => {
    const names = { localhost: ['::1', '127.0.0.1'], 'half.localhost': ['127.0.0.1', '::2'], 'pub.local': ['1.1.1.1'] }
    const guard = guardWith(names, ['127.0.0.0/8', '::1'])
    await guard.checkOnSave('http://localhost:3000/')
    assert.equal((await guard.vet('localhost')).length, 2)
    for (const host of ['half.localhost', 'pub.local', 'absent.internal']) {
      await assert.rejects(guard.checkOnSave(`http://${host}/`), refused('name'), host)
    }
    await assert.rejects(guard.vet('half.localhost'), refused('name'))
    await assert.rejects(guard.vet('absent.internal'), notFound)
  })

  test('still refuses other schemes, credentials and port 0 for an excepted host', async () => {
    const guard = guardWith({}, ['localhost', '127.0.0.1'])
    await assert.rejects(guard.checkOnSave('ftp://localhost/'), refused('scheme'))
    await assert.rejects(guard.checkOnSave('http://a:b@127.0.0.1/'), refused('credentials'))
    await assert.rejects(guard.checkOnSave('http://127.0.0.1:0/'), refused('port'))
  })

  test('is a list whose bad entries are named', () => {
    const good = [
      'localhost',
      'db.internal',
      'a_b.example.',
      'bücher.example',
      '10.0.0.0/8',
      '10.1.2.3',
      '::1',
      '[::1]',
      'fd00::/8',
    ]
    const bad = [
      'http://a/',
      '*.local',
      'host:80',
      '10.0.0.0/33',
      'fd00::/129',
      '10.0.0/8',
      '0x7f.1',
      '127.1',
      '2130706433',
    ]
    bad.push('1.2.3.4:80', '/8', '10.0.0.0/', 'a..b', 'fe80::1%eth0', '10.0.0.0/8/8', '10.0.0.0/-1')
    const read = parsePrivateHostList(`, ${good.join(',')}\n ${bad.join(' ,')}`)
    assert.deepEqual(read.hosts, good)
    assert.deepEqual(
      read.bad.map(({ entry }) => entry),
      bad,
    )
    for (const { reason } of read.bad) assert.match(reason, /^is /)
    assert.deepEqual(parsePrivateHostList(''), { hosts: [], bad: [] })
    assert.throws(() => createGuard({ allowPrivateHosts: ['*.local'] }), /"\*\.local" is not a host name/)
  })
})
