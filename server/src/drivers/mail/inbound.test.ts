// Taking mail: what senders are told, what ends a mail, and what is read of it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after } from 'node:test'
import { proves } from '../../../test/kit/proves.ts'
import { mailBytesMax, MailRefused, startInbox } from './inbound.ts'
import { messageOf } from './message.ts'
import { readMail } from './readMail.ts'
import { sendBySmtp } from './smtp.ts'

const taken: { to: string[]; raw: Buffer }[] = []
let refusal: Error | undefined
let isAway = false
const asked: string[] = []
const inbox = await startInbox({
  host: '127.0.0.1',
  port: 0,
  name: 'in.example.com',
  inbox: {
    async knows(address) {
      asked.push(address)
      if (isAway) throw new Error('the database is away')
      return address.startsWith('box')
    },
    async take(to, raw) {
      if (refusal) throw refusal
      taken.push({ to, raw })
    },
  },
})
after(() => inbox.close())

/** Everything the server says to these bytes, until it closes or `codes` answers have come. */
const talk = (bytes: string, answers: number): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const socket = connect(inbox.port, '127.0.0.1')
    let said = ''
    const lines = () => said.split('\r\n').filter((line) => /^\d{3} /.test(line))
    const end = () => {
      socket.destroy()
      resolve(lines().map((line) => line.slice(0, 3)))
    }
    socket.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      if (lines().length >= answers) end()
    })
    socket.on('close', end)
    socket.on('error', reject)
    socket.write(bytes)
  })

const mail = {
  id: 'one',
  from: { name: 'Anna', address: 'anna@example.com' },
  to: 'box1@in.example.com',
  subject: 'Rechnung über 12 €',
  text: 'Plain.\n.\n..dots',
  html: '<p>HTML</p>',
  at: new Date(0),
  settingsUrl: 'http://127.0.0.1/notifications',
}
const send = (to: string) =>
  sendBySmtp(
    {
      server: { host: '127.0.0.1', port: inbox.port, isTls: false, user: undefined, password: undefined },
      tls: 'off',
      timeoutMs: 2000,
    },
    { from: mail.from.address, to, message: messageOf({ ...mail, to }), beforeEnd: () => Promise.resolve(true) },
  )

proves('triggers.mail', 'a mail arrives as it was written, and is read with its text, subject and sender', async () => {
  assert.equal((await send('box1@in.example.com')).is, 'accepted')
  const { to, raw } = taken.at(-1)!
  const read = readMail(raw)
  assert.deepEqual(to, ['box1@in.example.com'])
  assert.deepEqual(
    [read.message_id, read.from, read.to, read.subject, read.text, read.attachments],
    ['<one@example.com>', 'anna@example.com', ['box1@in.example.com'], mail.subject, mail.text, []],
  )
})

proves(
  'triggers.mail',
  'mail for nobody is refused for good, and what could not be stored may be sent again',
  async () => {
    const before = taken.length
    const nobody = await send('nobody@in.example.com')
    assert.deepEqual([nobody.is, 'isFinal' in nobody && nobody.isFinal], ['refused', true])
    const outcomes: [Error, boolean][] = [
      [new Error('the database is away'), false],
      [new MailRefused('full', true), false],
      [new MailRefused('gone', false), true],
    ]
    for (const [error, isFinal] of outcomes) {
      refusal = error
      const outcome = await send('box2@in.example.com')
      assert.deepEqual([outcome.is, 'isFinal' in outcome && outcome.isFinal], ['refused', isFinal])
    }
    refusal = undefined
    isAway = true
    const unknown = await send('box2@in.example.com')
    isAway = false
    assert.deepEqual([unknown.is, 'isFinal' in unknown && unknown.isFinal], ['refused', false])
    assert.equal(taken.length, before)
  },
)

proves(
  'triggers.mail',
  'commands may come all at once, and only a line of one dot between line breaks ends a mail',
  async () => {
    const smuggled = 'Subject: a\r\n\r\nx\n.\nMAIL FROM:<b@b>\r\n.\n\r\nend'
    const bytes = `EHLO me\r\nMAIL FROM:<a@a>\r\nRCPT TO:<box@b>\r\nDATA\r\n${smuggled}\r\n.\r\nQUIT\r\n`
    assert.deepEqual(await talk(bytes, 7), ['220', '250', '250', '250', '354', '250', '221'])
    assert.equal(taken.at(-1)!.raw.toString(), smuggled)
    assert.deepEqual(await talk('MAIL FROM:<a@a>\r\nRCPT TO:<box@b>\r\nDATA\r\n.\r\nQUIT\r\n', 6), [
      '220',
      '250',
      '250',
      '354',
      '250',
      '221',
    ])
    assert.equal(taken.at(-1)!.raw.length, 0)
  },
)

proves(
  'triggers.mail',
  'what is too large, too long or out of order is refused, and a talker without sense is cut off',
  async () => {
    const before = taken.length
    const begin = 'MAIL FROM:<a@a>\r\nRCPT TO:<box@b>\r\nDATA\r\n'
    const large = `${begin}${'x'.repeat(mailBytesMax)}\r\n.\r\nQUIT\r\n`
    assert.deepEqual(await talk(large, 6), ['220', '250', '250', '354', '552', '221'])
    assert.deepEqual(await talk(`MAIL FROM:<a@a> SIZE=${mailBytesMax + 1}\r\nQUIT\r\n`, 3), ['220', '552', '221'])
    assert.deepEqual(await talk('DATA\r\nRCPT TO:<box@b>\r\nMAIL nobody\r\nQUIT\r\n', 5), [
      '220',
      '503',
      '503',
      '501',
      '221',
    ])
    assert.deepEqual(await talk('x'.repeat(5000), 99), ['220', '500'])
    const nonsense = await talk('HELP\r\n'.repeat(50), 99)
    assert.deepEqual([nonsense.length, nonsense.at(-1)], [11, '502'])
    assert.equal(taken.length, before)
  },
)

proves('triggers.mail', 'after its last answer nothing that a client sent is looked at', async () => {
  const before = asked.length
  const many = 'RCPT TO:<nobody@b>\r\n'.repeat(50)
  await talk(`MAIL FROM:<a@a>\r\n${many}`, 99)
  assert.equal(asked.length - before, 10)
  assert.deepEqual(await talk(`MAIL FROM:<a@a>\r\nQUIT\r\n${many}`, 99), ['220', '250', '221'])
  assert.equal(asked.length - before, 10)
})

/** Sends this without end and reads nothing, until the server has enough. */
async function flood(bytes: Buffer): Promise<void> {
  const socket = connect({ port: inbox.port, host: '127.0.0.1', allowHalfOpen: true }).pause()
  const more = (error?: Error | null): void => {
    if (!error) socket.write(bytes, more)
  }
  more()
  await new Promise((resolve) => socket.on('error', () => undefined).once('close', resolve))
}

proves('triggers.mail', 'whoever sends a line without end, or reads no answer, is cut off', async () => {
  await flood(Buffer.alloc(64 * 1024, 'x'))
  await flood(Buffer.from('EHLO\r\n'.repeat(10_000)))
})

proves(
  'triggers.mail',
  'a connection too many is refused and closed, also when its client resets it or never hangs up',
  async (t) => {
    const crowded = await startInbox({
      host: '127.0.0.1',
      port: 0,
      name: 'in.example.com',
      inbox: { knows: async () => true, take: async () => undefined },
    })
    const open = () => {
      const socket = connect({ port: crowded.port, host: '127.0.0.1', allowHalfOpen: true })
      t.after(() => socket.destroy())
      return socket.on('error', () => undefined)
    }
    for (let n = 0; n < 20; n++) await once(open(), 'data')
    const resetting = open()
    resetting.write('EHLO me\r\n')
    const [said] = await once(resetting, 'data')
    assert.match(String(said), /^421 /)
    resetting.resetAndDestroy()
    const staying = open().pause()
    staying.write('EHLO me\r\n')
    await once(staying, 'readable')
    await crowded.close()
  },
)

proves('triggers.mail', 'parts, encodings and attachments of a mail are read, and HTML where there is no text', () => {
  const lines = [
    'From: =?utf-8?q?J=C3=B8rn?= <jorn@example.com>',
    'Subject: =?UTF-8?B?SGVs?= =?UTF-8?B?bG8=?=',
    'Content-Type: multipart/mixed; boundary="b1"',
    '',
    '--b1',
    'Content-Type: text/html; charset=iso-8859-1',
    'Content-Transfer-Encoding: quoted-printable',
    '',
    '<style>p{}</style><p>Gr=FC=',
    '=DFe</p><script>alert(1)</script>a &lt; b',
    '--b1',
    'Content-Type: application/pdf; name="a.pdf"',
    'Content-Disposition: attachment; filename="invoice.pdf"',
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('%PDF-1.7').toString('base64'),
    '--b1--',
  ]
  const read = readMail(Buffer.from(lines.join('\r\n')))
  assert.deepEqual([read.from, read.subject, read.text], ['jorn@example.com', 'Hello', 'Grüße\na < b'])
  assert.deepEqual(read.attachments, [{ name: 'invoice.pdf', type: 'application/pdf', size_bytes: 8 }])
  assert.equal(readMail(Buffer.from('no mail at all')).text, '')
})

proves(
  'triggers.mail',
  'a mail that was written to be slow is read all the same, and what is read of it is bounded',
  () => {
    for (const piece of ['<', '<script>', '=?u?q?', '--b1\r\n', ';boundary=', '= ']) {
      const head = 'Subject: x\r\nContent-Type: text/html; boundary=b1\r\n\r\n'
      for (const raw of [
        head + piece.repeat(200_000),
        piece.repeat(200_000),
        `Subject: ${piece.repeat(50_000)}\r\n\r\n`,
      ]) {
        const { text, attachments } = readMail(Buffer.from(raw))
        assert.ok(text.length <= 200_000 && attachments.length <= 50, piece)
      }
    }
  },
)
