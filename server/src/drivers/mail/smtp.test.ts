// Handing a mail to a server: what each answer, and each broken connection, means for the mail.
import assert from 'node:assert/strict'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { after } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { startMailServer } from '../../../test/kit/mailServer.ts'
import { proves } from '../../../test/kit/proves.ts'
import { selfSigned } from '../../../test/kit/selfSigned.ts'
import { escaped, messageOf } from './message.ts'
import { sendBySmtp, tryMailServer, type SmtpOptions } from './smtp.ts'

const inbox = await startMailServer()
after(() => inbox.close())

const mail = {
  id: 'one',
  from: { name: 'Runyard', address: 'runyard@example.com' },
  to: 'night@example.com',
  subject: 'Hello',
  text: 'Plain.\n.\n..dots',
  html: '<p>HTML</p>',
  at: new Date(0),
  settingsUrl: 'http://127.0.0.1/notifications',
}
const optionsFor = (port: number, more: Partial<SmtpOptions> = {}): SmtpOptions => ({
  server: { host: '127.0.0.1', port, isTls: false, user: undefined, password: undefined },
  tls: 'off',
  timeoutMs: 20_000,
  ...more,
})
const envelope = {
  from: mail.from.address,
  to: mail.to,
  message: messageOf(mail),
  beforeEnd: () => Promise.resolve(true),
}

proves('mail.message', 'a mail arrives as it was written, and no text of others becomes a header', async () => {
  const subject = 'Zahlung\r\nBcc: all@example.com\nfreigeben? 💶 '.repeat(4)
  const message = messageOf({ ...mail, id: 'two', subject, from: { ...mail.from, name: 'Rün "yard"' } })
  const outcome = await sendBySmtp(optionsFor(inbox.port), { ...envelope, message })
  assert.equal(outcome.is, 'accepted')
  const arrived = inbox.arrived.at(-1)!
  assert.deepEqual(
    [arrived.id, arrived.to, arrived.text, arrived.html],
    ['two', ['night@example.com'], mail.text, mail.html],
  )
  assert.equal(arrived.headers['bcc'], undefined)
  assert.match(arrived.headers['subject']!, /^Zahlung Bcc: all@example\.com freigeben\? 💶 Zahlung/)
  assert.equal(arrived.headers['from'], 'Rün "yard" <runyard@example.com>')
  for (const line of message.split('\r\n')) assert.ok(/^[\x20-\x7e]*$/.test(line) && line.length <= 998, line)
  assert.equal(escaped(`<img src="x" onerror='y'>&`), '&lt;img src=&quot;x&quot; onerror=&#39;y&#39;&gt;&amp;')
})

proves(
  'mail.outcomes',
  'a refusal says whether it is final, and what was not agreed to is not handed over',
  async () => {
    inbox.refuseNext(451, 'Greylisted')
    const later = await sendBySmtp(optionsFor(inbox.port), envelope)
    assert.deepEqual(later, {
      is: 'refused',
      says: 'the end of the mail: the mail server answered 451 Greylisted',
      isFinal: false,
    })
    inbox.refuseNext(550, 'No such mailbox')
    const never = await sendBySmtp(optionsFor(inbox.port), envelope)
    assert.ok(never.is === 'refused' && never.isFinal)
    const before = inbox.arrived.length
    const given = await sendBySmtp(optionsFor(inbox.port), { ...envelope, beforeEnd: () => Promise.resolve(false) })
    assert.deepEqual([given.is, inbox.arrived.length], ['not_handed_over', before])
  },
)

const cut = (socket: Socket): void => void socket.destroy()

/** Speaks until this command, and then does something else. */
async function brokenServer(at: string, does: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.write('220 here\r\n')
    let text = ''
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString()
      const lines = text.split('\r\n')
      text = lines.pop()!
      for (const line of lines) {
        if (line.startsWith(at)) return does(socket)
        if (/^(EHLO|MAIL|RCPT|QUIT)/.test(line)) socket.write('250 ok\r\n')
        if (line === 'DATA') socket.write('354 go\r\n')
      }
      return undefined
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  after(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

proves(
  ['mail.outcomes', 'mail.bounded'],
  'a connection that breaks before the end leaves nothing in doubt, and one that breaks after it does',
  async () => {
    const early = await sendBySmtp(optionsFor(await brokenServer('RCPT', cut)), envelope)
    assert.deepEqual([early.is, 'isOurs' in early && early.isOurs], ['not_handed_over', false])
    const late = await sendBySmtp(optionsFor(await brokenServer('.', cut)), envelope)
    assert.equal(late.is, 'in_doubt')
    const silent = await brokenServer('.', () => undefined)
    // each answer has this time, those before the end too, on a busy machine
    const slow = await sendBySmtp(optionsFor(silent, { timeoutMs: 3000 }), envelope)
    assert.deepEqual([slow.is, slow.says], ['in_doubt', 'no answer to the end of the mail within 3 s'])
    const flood = await brokenServer('MAIL', (socket) => void socket.write('250-'.concat('x'.repeat(100_000))))
    const flooded = await sendBySmtp(optionsFor(flood), envelope)
    assert.equal(flooded.is, 'not_handed_over')
    const web = await sendBySmtp(
      optionsFor(await brokenServer('EHLO', (socket) => void socket.write('<html>\r\n'))),
      envelope,
    )
    assert.match(web.says, /speaks no SMTP/)
  },
)

proves(
  'mail.login',
  'a login is sent as the server wants it, and never without TLS unless the settings say so',
  async () => {
    const strict = await startMailServer({
      authOptional: false,
      authMethods: ['LOGIN'],
      allowInsecureAuth: true,
      onAuth: ({ username, password }, _session, done) =>
        password === 'pass word' ? done(null, { user: username }) : done(new Error('Invalid login')),
    })
    after(() => strict.close())
    const server = { host: '127.0.0.1', port: strict.port, isTls: false, user: 'me', password: 'pass word' }
    assert.equal((await sendBySmtp(optionsFor(strict.port, { server }), envelope)).is, 'accepted')
    assert.match(await tryMailServer(optionsFor(strict.port, { server })), /no TLS, signed in/)
    const wrong = { ...server, password: 'other' }
    await assert.rejects(
      tryMailServer(optionsFor(strict.port, { server: wrong })),
      /AUTH LOGIN: the mail server answered 535/,
    )
    await assert.rejects(tryMailServer(optionsFor(strict.port, { server, tls: 'required' })), /does not offer STARTTLS/)
    await assert.rejects(tryMailServer(optionsFor(strict.port, { server, tls: 'if_offered' })), /not sent without TLS/)
  },
)

proves(
  'mail.login',
  'with STARTTLS and from the first byte on, only a trusted certificate for the right name will do',
  async () => {
    const usual = getCACertificates('default')
    const [trusted, unknown] = [selfSigned('localhost'), selfSigned('localhost')]
    setDefaultCACertificates([...usual, trusted.cert])
    after(() => setDefaultCACertificates(usual))
    for (const isTls of [false, true]) {
      const servers = [await startMailServer({ disabledCommands: [], secure: isTls, ...trusted })]
      servers.push(await startMailServer({ disabledCommands: [], secure: isTls, ...unknown }))
      after(() => Promise.all(servers.map((one) => one.close())))
      const sendTo = (port: number, host = '127.0.0.1') =>
        sendBySmtp(
          optionsFor(port, { tls: 'required', server: { host, port, isTls, user: undefined, password: undefined } }),
          envelope,
        )
      assert.equal((await sendTo(servers[0]!.port, 'localhost')).is, 'accepted')
      assert.equal((await sendTo(servers[0]!.port)).is, 'accepted')
      assert.equal((await sendTo(servers[1]!.port)).is, 'not_handed_over')
      assert.deepEqual(
        servers.map(({ arrived }) => arrived.length),
        [2, 0],
      )
    }
  },
)
