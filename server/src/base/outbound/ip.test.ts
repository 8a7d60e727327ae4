// Tests of the address table: every block with its edges, and what must hold for any address at all.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { classifyAddress, isPublicAddress, type AddressKind } from './ip.ts'

const ipv4Table: [AddressKind, string[]][] = [
  ['unspecified', ['0.0.0.0', '0.0.0.1', '0.255.255.255']],
  ['private', ['10.0.0.0', '10.255.255.255', '172.16.0.0', '172.31.255.255', '192.168.0.0', '192.168.255.255']],
  ['carrier_grade_nat', ['100.64.0.0', '100.100.100.200', '100.127.255.255']],
  ['loopback', ['127.0.0.0', '127.0.0.1', '127.255.255.255']],
  ['platform', ['168.63.129.16']],
  ['link_local', ['169.254.0.0', '169.254.169.254', '169.254.255.255']],
  ['protocol', ['192.0.0.0', '192.0.0.9', '192.0.0.192', '192.31.196.1', '192.52.193.1', '192.175.48.1']],
  ['documentation', ['192.0.2.0', '192.0.2.255', '198.51.100.1', '203.0.113.255']],
  ['transition', ['192.88.99.0', '192.88.99.255']],
  ['benchmarking', ['198.18.0.0', '198.19.255.255']],
  ['multicast', ['224.0.0.0', '239.255.255.255']],
  ['reserved', ['240.0.0.0', '255.255.255.254']],
  ['broadcast', ['255.255.255.255']],
  ['public', ['1.1.1.1', '9.255.255.255', '11.0.0.0', '100.63.255.255', '100.128.0.0', '126.255.255.255', '128.0.0.0']],
  ['public', ['168.63.129.15', '169.253.255.255', '169.255.0.0', '172.15.255.255', '172.32.0.0', '191.255.255.255']],
  ['public', ['192.0.1.0', '192.0.3.0', '192.88.98.255', '192.88.100.0', '192.167.255.255', '192.169.0.0']],
  ['public', ['198.17.255.255', '198.20.0.0', '198.51.99.255', '203.0.114.0', '223.255.255.255']],
]

const ipv6Table: [AddressKind, string[]][] = [
  ['unspecified', ['::', '0:0:0:0:0:0:0:0']],
  ['loopback', ['::1', '0:0:0:0:0:0:0:1', '::0001', '::ffff:127.0.0.1', '::ffff:7f00:1', '64:ff9b::127.0.0.1']],
  ['private', ['::ffff:10.0.0.1', '::FFFF:C0A8:0101', '64:ff9b::a00:1', 'fec0::1', 'feff:ffff::1']],
  ['link_local', ['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', 'fe80::1', 'fe80::1%eth0', 'febf:ffff::1%25']],
  ['transition', ['::127.0.0.1', '::8.8.8.8', '::2', '::ffff:0:127.0.0.1', '::ffff:0:8.8.8.8', '64:ff9b:1::1']],
  ['transition', ['2001::1', '2001:0:ffff:ffff::1', '2002::1', '2002:7f00:1::', '2002:808:808::1', '2002:ffff::1']],
  ['benchmarking', ['2001:2::1', '2001:2:0:ffff::1']],
  ['protocol', ['2001:1::1', '2001:2:1::1', '2001:3::1', '2001:4:112::1', '2001:10::1', '2001:20::1', '2001:30::1']],
  ['protocol', ['2001:1ff:ffff::1', '2620:4f:8000::1']],
  ['documentation', ['2001:db8::1', '2001:db8:ffff:ffff::1', '3fff::1', '3fff:fff:ffff::1']],
  ['unique_local', ['fc00::1', 'fd00:ec2::254', 'fdff:ffff::1']],
  ['multicast', ['ff00::1', 'ff02::1', 'ff02::1%eth0', 'ffff::1']],
  [
    'reserved',
    ['100::1', '100:0:0:1::1', '1fff:ffff::1', '3ffe::1', '4000::1', '5f00::1', '64:ff9b:0:1::1', 'fbff::1'],
  ],
  ['public', ['2000::1', '2001:200::1', '2001:db7::1', '2001:db9::1', '2003::1', '2606:4700::1111', '3fff:1000::1']],
  ['public', ['::ffff:8.8.8.8', '::ffff:808:808', '64:ff9b::8.8.8.8', '2620:4f:7fff::1', '2620:4f:8001::1']],
  ['invalid', ['2606:4700::1111%eth0', '::ffff:8.8.8.8%1', ':::1', '1::2::3', '[::1]', '::1 ', '2606:4700::g']],
]

const otherTable: [AddressKind, string[]][] = [
  [
    'invalid',
    ['', '%', '0177.0.0.1', '0x7f.0.0.1', '127.1', '2130706433', '1.2.3', '1.2.3.4.5', '256.1.1.1', '8.8.8.8%a'],
  ],
  ['invalid', ['localhost', 'example.com', '１.1.1.1', ' 8.8.8.8', '8.8.8.8\n', '8.8.8.8/32']],
]

describe('classifyAddress', () => {
  for (const [kind, addresses] of [...ipv4Table, ...ipv6Table, ...otherTable]) {
    test(`says ${kind} for ${addresses.map((address) => JSON.stringify(address)).join(' ')}`, () => {
      for (const address of addresses) assert.equal(classifyAddress(address), kind, address)
    })
  }

  test('judges the mapped and the NAT64 form of any IPv4 address as that address, dotted or in hex', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
        const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
        for (const prefix of ['::ffff:', '0:0:0:0:0:FFFF:', '64:ff9b::']) {
          assert.equal(classifyAddress(prefix + address), classifyAddress(address))
          assert.equal(classifyAddress(prefix + hex), classifyAddress(address))
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('calls no other form with an IPv4 address inside public, whatever is inside', () => {
    fc.assert(
      fc.property(fc.ipV4(), (address) => {
        const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
        const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
        for (const form of [`::${address}`, `::ffff:0:${address}`, `64:ff9b:1::${address}`, `2002:${hex}::1`]) {
          assert.equal(isPublicAddress(form), false, form)
        }
      }),
    )
  })

  test('calls an IPv6 address public only inside 2000::/3, or when it spells a public IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        if (!isPublicAddress(address)) return
        const parsed = ipaddr.IPv6.parse(new URL(`http://[${address}]`).hostname.slice(1, -1))
        const isGlobal = (parsed.parts[0] ?? 0) >> 13 === 0b001
        assert.ok(isGlobal || ['ipv4Mapped', 'rfc6052'].includes(parsed.range()), address)
      }),
      { numRuns: 5000 },
    )
  })

  // ipaddr.js keeps a table of its own; it lacks only the platform address.
  test('agrees with an independent table about any IPv4 address', () => {
    const first = fc.constantFrom(0, 10, 100, 127, 168, 169, 172, 192, 198, 203, 224, 240, 255, 8, 93)
    const address = fc.tuple(first, fc.nat(255), fc.nat(255), fc.nat(255)).map((octets) => octets.join('.'))
    fc.assert(
      fc.property(fc.oneof(address, fc.ipV4()), (text) => {
        if (text === '168.63.129.16') return
        assert.equal(isPublicAddress(text), ipaddr.IPv4.parse(text).range() === 'unicast', text)
      }),
      { numRuns: 5000 },
    )
  })

  test('takes any text at all without throwing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => assert.equal(typeof classifyAddress(text), 'string')),
    )
  })
})
