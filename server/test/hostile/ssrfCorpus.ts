// The corpus of forbidden addresses, in named families: data for ssrf.test.ts.

export type Family = {
  name: string
  /** Whole URLs; PORT stands for the port that the listeners of the test have on 127.0.0.1 and ::1. */
  urls: string[]
  /** Names that still had a public address, or none, when they were saved: saving accepts them, connecting does not. */
  passesSaving?: true
  /** Refused for the URL's form alone, before there is a host to resolve. */
  isFormOnly?: true
}

/** What the names of the corpus resolve to when a connection is made. */
export const answers: Record<string, string[]> = {}

/** What they resolve to while being saved, where that differs. */
export const answersOnSave: Record<string, string[]> = {}

const words = (text: string): string[] => text.trim().split(/\s+/)
const http = (hosts: string[]): string[] => hosts.map((host) => `http://${host}:PORT/`)
const hosts = (text: string): string[] => http(words(text))
const bracketed = (addresses: string[]): string[] => http(addresses.map((address) => `[${address}]`))

function named(names: Record<string, string[]>, saved: Record<string, string[]> = {}): string[] {
  Object.assign(answers, names)
  Object.assign(answersOnSave, saved)
  return http(Object.keys(names))
}

// Addresses worth an attacker's trouble, to be written in every spelling.
const targets = ['127.0.0.1', '10.0.0.1', '100.100.100.200', '169.254.169.254', '172.16.0.1', '192.168.1.1']

type Octets = [number, number, number, number]
const spell = (write: (octets: Octets) => string): string[] =>
  targets.map((address) => write(address.split('.').map(Number) as Octets))
const whole = ([a, b, c, d]: Octets): number => ((a * 256 + b) * 256 + c) * 256 + d
const hex = (value: number): string => `0x${value.toString(16)}`
const octal = (value: number): string => `0${value.toString(8)}`
const longHex = (value: number): string => `0X${value.toString(16).padStart(6, '0').toUpperCase()}`
const groups = ([a, b, c, d]: Octets): string => `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
const digitsFrom = (text: string, zero: number): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))

const spellings: Family[] = [
  { name: 'IPv4 as one decimal number', urls: http(spell((octets) => String(whole(octets)))) },
  {
    name: 'IPv4 in hexadecimal',
    urls: [
      ...http(spell((octets) => hex(whole(octets)))),
      ...http(spell((octets) => octets.map(hex).join('.'))),
      ...http(spell((octets) => octets.map(longHex).join('.'))),
    ],
  },
  {
    name: 'IPv4 in octal',
    urls: [
      ...http(spell((octets) => octal(whole(octets)))),
      ...http(spell((octets) => octets.map(octal).join('.'))),
      ...http(spell((octets) => octets.map((octet) => `000${octal(octet)}`).join('.'))),
    ],
  },
  {
    name: 'IPv4 with fewer than four parts',
    urls: [
      ...http(spell(([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`)),
      ...http(spell(([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`)),
      ...hosts('0 00 0x 0x0 0.0 127.2 10.2 192.168.258'),
    ],
  },
  {
    name: 'IPv4 in mixed bases',
    urls: [
      ...http(spell(([a, b, c, d]) => `${hex(a)}.${octal(b)}.${c}.${d}`)),
      ...http(spell(([a, b, c, d]) => `${a}.${octal(b)}.${hex(c * 256 + d)}`)),
    ],
  },
  {
    name: 'IPv4 in unicode digits',
    urls: [
      ...http(spell((octets) => digitsFrom(octets.join('.'), 0xff10))), // full-width
      ...http(spell((octets) => digitsFrom(octets.join('.'), 0x1d7ce))), // mathematical bold
      ...hosts('①②⑦.⓪.⓪.① ¹²⁷.⁰.⁰.¹ ₁₂₇.₀.₀.₁ １27.0.0.1 ０x7f.1 ０１７７.0.0.1'),
    ],
  },
  {
    name: 'IPv4 with unicode dots',
    urls: http(targets.slice(0, 3).flatMap((text) => ['。', '．', '｡'].map((dot) => text.replaceAll('.', dot)))),
  },
  {
    name: 'IPv4 percent-encoded',
    urls: hosts('%31%32%37.0.0.1 127%2e0%2e0%2e1 %31%30.0.0.1 0%78%37f.1 169.254.169.25%34 %30 %EF%BC%90'),
  },
  {
    name: 'trailing dots',
    urls: hosts('127.0.0.1. 127.0.0.1.. 127.1. 2130706433. 0x7f.1. 10.0.0.1... localhost.. 0.'),
  },
  {
    name: 'characters the URL parser drops',
    urls: [
      ...http(['127.0.\t0.1', '127.0.\n0.1', '1\r27.0.0.1', 'local\u00adhost', 'local\u200bhost', '\u206010.0.0.1']),
      ' http://127.0.0.1:PORT/ ',
      '\u0000http://10.0.0.1:PORT/',
      'ht\ntp://127.0.0.1:PORT/',
    ],
  },
  {
    name: 'URLs that readers disagree about',
    urls: words(`
      http:127.0.0.1:PORT/ http:/127.0.0.1:PORT/ http:////127.0.0.1:PORT/ HTTP://127.0.0.1:PORT
      http:\\\\127.0.0.1:PORT\\ http://127.0.0.1:PORT\\@hooks.example/ http://127.0.0.1:PORT#@hooks.example/
      http://127.0.0.1:PORT?@hooks.example/ http://@127.0.0.1:PORT/ http://:@127.0.0.1:PORT/
      https://127.0.0.1:PORT/ http://127.0.0.1:0PORT/ http://127.0.0.1 https://[::1]`),
  },
]

const ipv4Blocks: Family[] = [
  {
    name: 'IPv4 loopback',
    urls: hosts('127.0.0.0 127.0.0.1 127.0.0.2 127.0.0.53 127.0.1.1 127.1.2.3 127.127.127.127 127.255.255.255'),
  },
  {
    name: 'IPv4 private',
    urls: hosts(`
      10.0.0.0 10.0.0.1 10.96.0.1 10.255.255.255 172.16.0.0 172.17.0.1 172.20.1.1 172.31.255.255
      192.168.0.0 192.168.0.1 192.168.49.2 192.168.255.255`),
  },
  {
    name: 'metadata services by address',
    urls: [
      ...hosts('169.254.169.254 169.254.170.2 169.254.0.23 169.254.169.123 100.100.100.200 192.0.0.192 168.63.129.16'),
      ...bracketed(words('fd00:ec2::254 fd20:ce::254 0::ffff:169.254.169.254')),
      ...words('http://169.254.169.254/latest/meta-data/ http://2852039166/latest/user-data'),
    ],
  },
  { name: 'IPv4 link-local', urls: hosts('169.254.0.0 169.254.0.1 169.254.1.1 169.254.255.255') },
  { name: 'carrier-grade NAT', urls: hosts('100.64.0.0 100.64.0.1 100.99.1.1 100.127.255.255') },
  { name: 'this network', urls: hosts('0.0.0.0 0.0.0.1 0.1.2.3 0.255.255.255') },
  {
    name: 'IPv4 documentation and benchmarks',
    urls: hosts('192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 198.19.255.255'),
  },
  {
    name: 'IPv4 protocol assignments and anycast',
    urls: hosts('192.0.0.1 192.0.0.9 192.0.0.170 192.31.196.1 192.52.193.1 192.175.48.1 192.88.99.1'),
  },
  {
    name: 'IPv4 multicast, reserved and broadcast',
    urls: hosts('224.0.0.1 224.0.0.251 239.255.255.250 240.0.0.1 250.1.1.1 255.255.255.254 255.255.255.255'),
  },
]

const ipv6Blocks: Family[] = [
  {
    name: 'IPv6 loopback and unspecified',
    urls: bracketed(
      words(`
        ::1 :: 0:0:0:0:0:0:0:1 0000:0000:0000:0000:0000:0000:0000:0001 ::0001 0::1 0:0::0:1 ::0 0:0:0:0:0:0:0:0
        ::0.0.0.1 0:0:0:0:0:0:0.0.0.1`),
    ),
  },
  { name: 'IPv4-mapped, dotted', urls: bracketed(spell((octets) => `::ffff:${octets.join('.')}`)) },
  {
    name: 'IPv4-mapped, in hexadecimal',
    urls: [
      ...bracketed(spell((octets) => `::FFFF:${groups(octets)}`)),
      ...bracketed(spell((octets) => `0:0:0:0:0:ffff:${groups(octets)}`)),
    ],
  },
  { name: 'IPv4-compatible', urls: bracketed(['::8.8.8.8', '::2', ...spell((octets) => `::${groups(octets)}`)]) },
  {
    name: 'IPv4-translated',
    urls: bracketed(['::ffff:0:8.8.8.8', ...spell((octets) => `::ffff:0:${groups(octets)}`)]),
  },
  { name: 'NAT64, well-known prefix', urls: bracketed(spell((octets) => `64:ff9b::${octets.join('.')}`)) },
  {
    name: 'NAT64, local prefix',
    urls: bracketed(['64:ff9b:1::8.8.8.8', ...spell((octets) => `64:ff9b:1::${groups(octets)}`)]),
  },
  { name: '6to4', urls: bracketed(['2002:808:808::1', ...spell((octets) => `2002:${groups(octets)}::1`)]) },
  { name: 'Teredo', urls: bracketed(words('2001::1 2001:0:4136:e378:8000:63bf:3fff:fdd2 2001:0:7f00:1::')) },
  { name: 'unique local', urls: bracketed(words('fc00::1 fc12:3456::1 fd00::1 fd12:3456:789a::1 fdff:ffff::1')) },
  {
    name: 'IPv6 link-local and site-local',
    urls: bracketed(words('fe80::1 fe80::a9fe:a9fe febf::1 fe80::1%eth0 fe80::1%25eth0 fec0::1 feff::1')),
  },
  { name: 'IPv6 multicast', urls: bracketed(words('ff00::1 ff01::1 ff02::1 ff02::fb ff05::2 ff0e::1')) },
  {
    name: 'IPv6 documentation, benchmarks and protocols',
    urls: bracketed(
      words(`
        2001:db8::1 3fff::1 2001:2::1 2001:1::1 2001:3::1 2001:4:112::1 2001:10::1 2001:20::1 2001:30::1
        2620:4f:8000::1`),
    ),
  },
  {
    name: 'IPv6 outside global unicast',
    urls: bracketed(words('100::1 100:0:0:1::1 200::1 1fff::1 3ffe::1 4000::1 5f00::1 8000::1 e000::1 fe00::1')),
  },
]

const names: Family[] = [
  {
    name: 'localhost',
    urls: hosts(`
      localhost LOCALHOST LocalHost localhost. a.localhost a.b.localhost .localhost localhost%2e
      ｌｏｃａｌｈｏｓｔ ⓛⓞⓒⓐⓛⓗⓞⓢⓣ loc%61lhost localhoſt localhost。`),
  },
  { name: '*.local', urls: hosts('printer.local PRINTER.LOCAL a.b.local nas.local. local ａ.ｌｏｃａｌ') },
  {
    name: '*.internal',
    urls: hosts('metadata.google.internal METADATA.google.internal. db.internal host.docker.internal internal'),
  },
  {
    name: 'wildcard DNS of a forbidden address',
    urls: named({
      '127.0.0.1.nip.io': ['127.0.0.1'],
      '7f000001.nip.io': ['127.0.0.1'],
      'app-127-0-0-1.sslip.io': ['127.0.0.1'],
      '10.0.0.1.nip.io': ['10.0.0.1'],
      '169-254-169-254.sslip.io': ['169.254.169.254'],
      '0--1.sslip.io': ['::1'],
      'localtest.me': ['::1', '127.0.0.1'],
      'lvh.me': ['127.0.0.1'],
      'alias-of-localhost.example': ['127.0.0.1'],
    }),
  },
  {
    name: 'names of the hosts file',
    urls: named({
      'build-machine': ['127.0.1.1'],
      'localhost.localdomain': ['127.0.0.1'],
      'ip6-localhost': ['::1'],
      'ip6-allnodes': ['ff02::1'],
      broadcasthost: ['255.255.255.255'],
    }),
  },
  {
    name: 'names of a private network',
    urls: named({
      'a-private.example': ['10.1.2.3'],
      'b-private.example': ['172.18.0.2'],
      'c-private.example': ['192.168.0.10'],
      'cgnat.example': ['100.64.1.1'],
      'zero.example': ['0.0.0.0'],
      'ula.example': ['fd12::1'],
      'zoned.example': ['fe80::1%eth0'],
      'kubernetes.default.svc': ['10.96.0.1'],
      'xn--bcher-kva.example': ['10.1.2.4'],
    }),
  },
  {
    name: 'names with transition addresses',
    urls: named({
      'mapped.example': ['::ffff:127.0.0.1'],
      'nat64.example': ['64:ff9b::7f00:1'],
      'compatible.example': ['::127.0.0.1'],
      '6to4.example': ['2002:7f00:1::1'],
      'translated.example': ['::ffff:0:7f00:1'],
    }),
  },
  {
    name: 'public and forbidden addresses mixed',
    urls: named({
      'mixed-1.example': ['93.184.215.14', '127.0.0.1'],
      'mixed-2.example': ['127.0.0.1', '93.184.215.14'],
      'mixed-3.example': ['93.184.215.14', '2606:2800:21f:cb07::1', '::1'],
      'mixed-4.example': ['93.184.215.14', '1.1.1.1', '8.8.8.8', '169.254.169.254'],
      'mixed-5.example': ['2606:2800:21f:cb07::1', '::ffff:10.0.0.1'],
    }),
  },
]

function rebinding(): string[] {
  const after = [['127.0.0.1'], ['::1'], ['10.0.0.1'], ['169.254.169.254'], ['::ffff:127.0.0.1'], ['1.1.1.1', '::1']]
  const before = ['93.184.215.14']
  const pairs = after.map((addresses, index) => [`rebind-${index}.example`, addresses] as const)
  return named(Object.fromEntries(pairs), Object.fromEntries(pairs.map(([host]) => [host, before])))
}

function unresolvedWhenSaved(): string[] {
  const late = { 'late-1.example': ['127.0.0.1'], 'late-2.example': ['::1'], 'late-3.example': ['192.168.7.7'] }
  return named(late, Object.fromEntries(Object.keys(late).map((host) => [host, []])))
}

const movingNames: Family[] = [
  { name: 'rebinding: public when saved, forbidden when dialled', urls: rebinding(), passesSaving: true },
  { name: 'without an address when saved, forbidden when dialled', urls: unresolvedWhenSaved(), passesSaving: true },
]

const forms: Family[] = [
  {
    name: 'other schemes',
    isFormOnly: true,
    urls: words(`
      file:///etc/passwd file://127.0.0.1/etc/passwd ftp://127.0.0.1:PORT/ gopher://127.0.0.1:PORT/_GET
      dict://127.0.0.1:PORT/info ldap://127.0.0.1:PORT/ ws://127.0.0.1:PORT/ wss://127.0.0.1:PORT/
      data:text/plain,hello javascript:alert(1) blob:http://127.0.0.1:PORT/x about:blank jar:http://a!/b
      unix:/var/run/docker.sock http+unix://%2Fvar%2Frun%2Fdocker.sock/`),
  },
  {
    name: 'credentials in the URL',
    isFormOnly: true,
    urls: words(`
      http://user@127.0.0.1:PORT/ http://user:secret@93.184.215.14:PORT/ http://:secret@hooks.example:PORT/
      http://hooks.example@127.0.0.1:PORT/ http://hooks.example%00@127.0.0.1:PORT/ http://a:b@[::1]:PORT/
      http://hooks.example:80@127.0.0.1:PORT/ http://a@b@127.0.0.1:PORT/`),
  },
  {
    name: 'port 0',
    isFormOnly: true,
    urls: words('http://93.184.215.14:0/ https://hooks.example:0/ http://127.0.0.1:000/'),
  },
  {
    name: 'not a URL at all',
    isFormOnly: true,
    urls: [
      '',
      'http://127.0.0.1 .example:PORT/',
      ...words(`
        127.0.0.1:PORT //127.0.0.1:PORT/ /path http:// http://:PORT/ http://127.0.0.256:PORT/ http://4294967296:PORT/
        http://127.0.0.1:65536/ http://[::1:PORT/ http://::1:PORT/ http://127.0.0.1%00.example:PORT/
        http://[::ffff:127.0.0.256]:PORT/ http://127.0.0.08:PORT/ http://0x7g.0.0.1:PORT/`),
    ],
  },
]

export const families: Family[] = [...spellings, ...ipv4Blocks, ...ipv6Blocks, ...names, ...movingNames, ...forms]
