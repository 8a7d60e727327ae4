// Takes mail by SMTP (RFC 5321), for a mail server in front of it: no relay, no login, no TLS. Sizes, times and numbers are bounded.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

export interface Inbox {
  /** Whether mail for this address is taken. */
  knows: (address: string) => Promise<boolean>
  /** Stores a mail for all of these addresses, or throws; only then its sender is told that it was taken. */
  take: (to: string[], raw: Buffer) => Promise<void>
}

/** The mail was not taken, and the sender need not try again unless `isPassing`. */
export class MailRefused extends Error {
  readonly isPassing: boolean
  constructor(message: string, isPassing: boolean) {
    super(message)
    this.isPassing = isPassing
  }
}

export interface RunningInbox {
  port: number
  close(): Promise<void>
}

export const mailBytesMax = 1024 * 1024
const connectionsMax = 100
const perAddressMax = 20
const recipientsMax = 20
const commandBytesMax = 1000
const refusalsMax = 10
const mailsMax = 100
/** What may wait for a client that does not read its answers. */
const unsentBytesMax = 64 * 1024
const idleMs = 60_000
const sessionMs = 600_000

export async function startInbox(options: {
  host: string
  port: number
  name: string
  inbox: Inbox
}): Promise<RunningInbox> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    const { remoteAddress } = socket
    const same = [...sockets].filter((one) => one.remoteAddress === remoteAddress).length
    if (sockets.size >= connectionsMax || same >= perAddressMax) {
      socket.on('error', () => socket.destroy())
      return hangUp(socket, 421, `${options.name} has too many connections, try again later`)
    }
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    converse(socket, options.name, options.inbox)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port, options.host, resolve)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve))
      for (const socket of sockets) socket.destroy()
      await closed
    },
  }
}

interface Conversation {
  socket: Socket
  name: string
  inbox: Inbox
  hasSender: boolean
  to: string[]
  /** The mail that is being sent; null between two mails. */
  mail: { chunks: Buffer[]; bytes: number; last: Buffer } | null
  refusals: number
  mails: number
}

/** Commands are answered one after the other, in the order in which they came, however many were sent at once. */
function converse(socket: Socket, name: string, inbox: Inbox): void {
  const talk: Conversation = { socket, name, inbox, hasSender: false, to: [], mail: null, refusals: 0, mails: 0 }
  let unread: Buffer = Buffer.alloc(0)
  let isBusy = false
  socket.setTimeout(idleMs, () => socket.destroy())
  const end = setTimeout(() => socket.destroy(), sessionMs).unref()
  socket.once('close', () => clearTimeout(end))
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    unread = unread.length === 0 ? chunk : Buffer.concat([unread, chunk])
    void work()
  })
  say(socket, 220, `${name} takes mail`)

  async function work(): Promise<void> {
    if (isBusy) return
    isBusy = true
    socket.pause()
    try {
      for (let rest = await step(talk, unread); rest !== undefined; rest = await step(talk, unread)) unread = rest
    } finally {
      isBusy = false
    }
    if (talk.mail === null && unread.length > commandBytesMax) hangUp(socket, 500, 'The line is too long')
    // after the last answer nothing is read any more
    if (socket.writable) socket.resume()
  }
}

const say = (socket: Socket, code: number, text: string): void => {
  if (socket.writable) socket.write(`${code} ${text}\r\n`)
}

/** Says the last answer, and closes without waiting for the client to do so. */
function hangUp(socket: Socket, code: number, text: string): void {
  say(socket, code, text)
  socket.destroySoon()
}

/** Does the next thing with what was sent; returns what is left, or undefined when it needs more. */
async function step(talk: Conversation, unread: Buffer): Promise<Buffer | undefined> {
  if (talk.socket.writableLength > unsentBytesMax) talk.socket.destroy()
  if (!talk.socket.writable || unread.length === 0) return undefined
  if (talk.mail !== null) return collect(talk, unread)
  const end = unread.indexOf('\r\n')
  if (end === -1) return undefined
  await obey(talk, unread.subarray(0, end).toString('latin1'))
  return unread.subarray(end + 2)
}

const ending = Buffer.from('\r\n.\r\n')

/** A mail ends with a line of one dot, and with nothing else: what ends it elsewhere could smuggle a second mail in. */
async function collect(talk: Conversation, unread: Buffer): Promise<Buffer | undefined> {
  const { mail } = talk
  if (mail === null) return unread
  const joined = Buffer.concat([mail.last, unread])
  const at = joined.indexOf(ending)
  const taken = at === -1 ? joined.subarray(0, Math.max(0, joined.length - ending.length + 1)) : joined.subarray(0, at)
  mail.bytes += taken.length
  // continues to read, into nothing
  if (mail.bytes <= mailBytesMax) mail.chunks.push(taken)
  else mail.chunks.length = 0
  mail.last = Buffer.from(joined.subarray(taken.length))
  if (at === -1) return Buffer.alloc(0)
  talk.mail = null
  await keep(talk, mail.bytes > mailBytesMax ? undefined : Buffer.concat(mail.chunks))
  return joined.subarray(at + ending.length)
}

async function keep(talk: Conversation, raw: Buffer | undefined): Promise<void> {
  const { socket, inbox, to } = talk
  Object.assign(talk, { hasSender: false, to: [], mails: talk.mails + 1 })
  if (raw === undefined) return refuse(talk, 552, `The mail is larger than ${mailBytesMax} bytes`)
  try {
    // the first line break belongs to the line DATA; a dot at the beginning of a line was doubled
    const lines = raw.toString('latin1').replaceAll('\r\n..', '\r\n.').slice(2)
    await inbox.take(to, Buffer.from(lines, 'latin1'))
    say(socket, 250, 'Taken')
  } catch (error) {
    const isFinal = error instanceof MailRefused && !error.isPassing
    refuse(
      talk,
      isFinal ? 550 : 451,
      error instanceof MailRefused ? error.message : 'It could not be stored, try again later',
    )
  }
}

function refuse(talk: Conversation, code: number, text: string): void {
  talk.refusals += 1
  if (talk.refusals >= refusalsMax) hangUp(talk.socket, code, text)
  else say(talk.socket, code, text)
}

async function obey(talk: Conversation, line: string): Promise<void> {
  const { socket, name } = talk
  const [verb = ''] = line.split(' ', 1)
  const command = commands[verb.toUpperCase()]
  if (!command) return refuse(talk, 502, 'This command is not known here')
  if (talk.mails >= mailsMax && verb.toUpperCase() === 'MAIL') {
    return hangUp(socket, 421, `${name} has taken enough for one conversation`)
  }
  await command(talk, line.slice(verb.length).trim())
}

type Command = (talk: Conversation, rest: string) => Promise<void> | void

const commands: Record<string, Command> = {
  HELO: ({ socket, name }) => say(socket, 250, name),
  EHLO: ({ socket, name }) => {
    socket.write(`250-${name}\r\n250-PIPELINING\r\n250-8BITMIME\r\n`)
    say(socket, 250, `SIZE ${mailBytesMax}`)
  },
  NOOP: ({ socket }) => say(socket, 250, 'Nothing done'),
  RSET: (talk) => {
    Object.assign(talk, { hasSender: false, to: [] })
    say(talk.socket, 250, 'Forgotten')
  },
  QUIT: ({ socket, name }) => hangUp(socket, 221, `${name} says goodbye`),
  MAIL: (talk, rest) => {
    const size = Number(/\bSIZE=(\d{1,15})/i.exec(rest)?.[1] ?? 0)
    if (!/^FROM:\s*<[^<>\s]*>/i.test(rest)) return refuse(talk, 501, 'Say MAIL FROM:<address>')
    if (size > mailBytesMax) return refuse(talk, 552, `The mail is larger than ${mailBytesMax} bytes`)
    Object.assign(talk, { hasSender: true, to: [] })
    say(talk.socket, 250, 'Go on')
  },
  RCPT: async (talk, rest) => {
    const address = /^TO:\s*<([^<>\s]{1,320})>/i.exec(rest)?.[1]
    if (!talk.hasSender) return refuse(talk, 503, 'Say MAIL FROM first')
    if (address === undefined) return refuse(talk, 501, 'Say RCPT TO:<address>')
    if (talk.to.length >= recipientsMax) return refuse(talk, 452, 'Too many recipients')
    const isKnown = await talk.inbox.knows(address).catch(() => undefined)
    if (isKnown === undefined) return refuse(talk, 451, 'It cannot be looked up now, try again later')
    if (!isKnown) return refuse(talk, 550, 'No such address here')
    talk.to.push(address)
    say(talk.socket, 250, 'Go on')
  },
  DATA: (talk) => {
    if (talk.to.length === 0) return refuse(talk, 503, 'Say RCPT TO first')
    // so that a mail without a single line ends by the same five bytes
    talk.mail = { chunks: [], bytes: 0, last: Buffer.from('\r\n') }
    say(talk.socket, 354, 'End it with a line of one dot')
  },
}
