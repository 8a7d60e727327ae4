// Hands one mail to a mail server: a conversation over SMTP (RFC 5321) in which the caller agrees before the mail is ended.
import { connect as connectPlain, type Socket } from 'node:net'
import { hostname } from 'node:os'
import { connect as connectTls } from 'node:tls'
import type { SmtpServer } from '../../base/mailSettings.ts'
import { readReplies, type Replies, type Reply } from './replies.ts'

export interface SmtpOptions {
  server: SmtpServer
  tls: 'required' | 'if_offered' | 'off'
  timeoutMs: number
}

interface Envelope {
  from: string
  to: string
  /** Lines that end with CRLF; none begins with a dot. */
  message: string
  /** Asked when only the end of the mail is still to be sent. False: somebody else has the mail now, and this one is given up. */
  beforeEnd: () => Promise<boolean>
  signal?: AbortSignal
}

export type Outcome =
  | { is: 'accepted'; says: string }
  /** The server answered no. `isFinal`: it will say so again. */
  | { is: 'refused'; says: string; isFinal: boolean }
  /** It cannot have been accepted. `isOurs`: the caller did not agree. */
  | { is: 'not_handed_over'; says: string; isOurs: boolean }
  /** The end was sent, and no answer came. */
  | { is: 'in_doubt'; says: string }

/** The server said no to a command. */
class Refused extends Error {
  readonly reply: Reply
  constructor(command: string, reply: Reply) {
    super(`${command}: the mail server answered ${reply.code} ${reply.text}`)
    this.reply = reply
  }
}

interface Conversation {
  socket: Socket
  replies: Replies
  options: SmtpOptions
  /** What the server offers, after EHLO. */
  offers: Map<string, string>
  isSecure: boolean
}

export async function sendBySmtp(options: SmtpOptions, envelope: Envelope): Promise<Outcome> {
  let isEnded = false
  let open: Conversation | undefined
  const cut = () => open?.socket.destroy()
  envelope.signal?.addEventListener('abort', cut)
  try {
    open = await begin(options)
    await say(open, `MAIL FROM:<${envelope.from}>`, '250', 'MAIL FROM')
    await say(open, `RCPT TO:<${envelope.to}>`, '25', 'RCPT TO')
    await say(open, 'DATA', '354')
    open.socket.write(envelope.message)
    if (!(await envelope.beforeEnd())) {
      return { is: 'not_handed_over', says: 'another process has taken the mail', isOurs: true }
    }
    isEnded = true
    const reply = await say(open, '.', '250', 'the end of the mail')
    leave(open)
    open = undefined
    return { is: 'accepted', says: `${reply.code} ${reply.text}` }
  } catch (error) {
    const says = error instanceof Error ? error.message : String(error)
    if (error instanceof Refused) return { is: 'refused', says, isFinal: error.reply.code.startsWith('5') }
    return isEnded ? { is: 'in_doubt', says } : { is: 'not_handed_over', says, isOurs: false }
  } finally {
    envelope.signal?.removeEventListener('abort', cut)
    cut()
  }
}

/** Signs in and leaves. Answers with a sentence on what was found; throws what is wrong. */
export async function tryMailServer(options: SmtpOptions): Promise<string> {
  const open = await begin(options)
  leave(open)
  const login = options.server.user === undefined ? 'without a login' : 'signed in'
  return `${options.server.host}:${options.server.port}, ${open.isSecure ? 'TLS' : 'no TLS'}, ${login}`
}

async function begin(options: SmtpOptions): Promise<Conversation> {
  const { server, tls, timeoutMs } = options
  const socket = await dial(server, timeoutMs)
  try {
    const open: Conversation = {
      socket,
      replies: readReplies(socket, timeoutMs),
      options,
      offers: new Map(),
      isSecure: server.isTls,
    }
    await expect(open, '220', 'the greeting')
    await hello(open)
    if (!open.isSecure && tls !== 'off') await secure(open)
    if (server.user !== undefined && server.password !== undefined) await signIn(open, server.user, server.password)
    return open
  } catch (error) {
    socket.destroy()
    throw error
  }
}

/** TLS checks the name of the server against its certificate, as everywhere. */
function dial({ host, port, isTls }: SmtpServer, timeoutMs: number): Promise<Socket> {
  const socket = isTls ? connectTls({ host, port, servername: nameFor(host) }) : connectPlain({ host, port })
  return ready(socket, isTls ? 'secureConnect' : 'connect', timeoutMs, `${host}:${port}`)
}

/** An address is no name that could be asked for (RFC 6066 §3). */
const nameFor = (host: string): string => (/^[\d.]+$|:/.test(host) ? '' : host)

function ready(socket: Socket, event: string, timeoutMs: number, where: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      socket.destroy()
      reject(new Error(`${where}: ${error.message || 'no connection'}`))
    }
    const timer = setTimeout(() => fail(new Error('no connection in time')), timeoutMs)
    socket.once('error', fail)
    socket.once(event, () => {
      clearTimeout(timer)
      socket.off('error', fail)
      // what breaks the connection later is told to whoever waits for an answer (replies.ts)
      socket.on('error', () => undefined)
      resolve(socket)
    })
    socket.once('close', () => clearTimeout(timer))
  })
}

async function hello(open: Conversation): Promise<void> {
  const name = /^[A-Za-z0-9.-]+$/.test(hostname()) ? hostname() : 'localhost'
  const reply = await say(open, `EHLO ${name}`, '250', 'EHLO')
  const lines = reply.text.split('\n').slice(1)
  open.offers = new Map(
    lines.map((line) => {
      const [word = '', ...rest] = line.trim().split(/[ =]/)
      return [word.toUpperCase(), rest.join(' ').toUpperCase()]
    }),
  )
}

async function secure(open: Conversation): Promise<void> {
  const { server, tls, timeoutMs } = open.options
  if (!open.offers.has('STARTTLS')) {
    if (tls === 'if_offered') return
    throw new Error('the mail server does not offer STARTTLS. Use smtps://, or set RUNYARD_SMTP_TLS.')
  }
  await say(open, 'STARTTLS', '220')
  // what came in clear text after that answer would count as said under TLS (CVE-2011-0411)
  open.replies.stop()
  const socket = connectTls({ socket: open.socket, servername: nameFor(server.host), host: server.host })
  open.socket = await ready(socket, 'secureConnect', timeoutMs, `TLS with ${server.host}`)
  open.replies = readReplies(open.socket, timeoutMs)
  open.isSecure = true
  await hello(open)
}

const base64 = (text: string): string => Buffer.from(text).toString('base64')

async function signIn(open: Conversation, user: string, password: string): Promise<void> {
  if (!open.isSecure && open.options.tls !== 'off') {
    throw new Error('the login is not sent without TLS. Use smtps://, or set RUNYARD_SMTP_TLS=off.')
  }
  const ways = ` ${open.offers.get('AUTH') ?? ''} `
  if (ways.includes(' LOGIN ') && !ways.includes(' PLAIN ')) {
    await say(open, 'AUTH LOGIN', '334')
    await say(open, base64(user), '334', 'AUTH LOGIN')
    await say(open, base64(password), '235', 'AUTH LOGIN')
    return
  }
  await say(open, `AUTH PLAIN ${base64(`\0${user}\0${password}`)}`, '235', 'AUTH PLAIN')
}

/** Nobody waits for the answer: until it came, a mail that was taken would look as if it were in doubt. */
function leave({ socket, options: { timeoutMs } }: Conversation): void {
  socket.end('QUIT\r\n')
  const timer = setTimeout(() => socket.destroy(), timeoutMs).unref()
  socket.once('close', () => clearTimeout(timer))
}

async function say(open: Conversation, line: string, wanted: string, name = line): Promise<Reply> {
  open.socket.write(`${line}\r\n`)
  return expect(open, wanted, name)
}

async function expect(open: Conversation, wanted: string, name: string): Promise<Reply> {
  const reply = await open.replies.next(name)
  if (!reply.code.startsWith(wanted)) throw new Refused(name, reply)
  return reply
}
