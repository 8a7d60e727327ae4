// A mail server for tests: it takes mails over real SMTP, and keeps what arrived as a mail program would read it.
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

export interface ArrivedMail {
  id: string
  from: string
  to: string[]
  /** By their names in lower case, unfolded and decoded. */
  headers: Record<string, string>
  text: string
  html: string
}

export interface MailServer {
  port: number
  arrived: ArrivedMail[]
  /** What the next mail is answered with instead of being kept. */
  refuseNext(code: number, says: string): void
  /** Called before a mail is kept and answered. */
  onMail: (mail: ArrivedMail) => Promise<void> | void
  close(): Promise<void>
}

export async function startMailServer(options: SMTPServerOptions = {}): Promise<MailServer> {
  let refusal: Error | undefined
  const server: SMTPServer = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    disableReverseLookup: true,
    closeTimeout: 100,
    ...options,
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => void answer(Buffer.concat(chunks).toString(), session.envelope, done))
    },
  })
  const take = async (
    raw: string,
    envelope: { mailFrom: { address: string } | false; rcptTo: { address: string }[] },
  ) => {
    const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
    const mail = { from, to: envelope.rcptTo.map(({ address }) => address), ...readMail(raw) }
    const error = refusal
    refusal = undefined
    if (error) throw error
    await running.onMail(mail)
    running.arrived.push(mail)
  }
  const answer = async (raw: string, envelope: Parameters<typeof take>[1], done: (error?: Error) => void) => {
    try {
      await take(raw, envelope)
    } catch (error) {
      done(error as Error)
      return
    }
    done()
  }
  server.on('error', () => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const running: MailServer = {
    port: (server.server.address() as AddressInfo).port,
    arrived: [],
    refuseNext(code, says) {
      refusal = Object.assign(new Error(says), { responseCode: code })
    },
    onMail: () => undefined,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return running
}

function readMail(raw: string): Pick<ArrivedMail, 'id' | 'headers' | 'text' | 'html'> {
  const [head = '', ...rest] = raw.split('\r\n\r\n')
  const headers = readHeaders(head)
  const boundary = /boundary="([^"]+)"/.exec(headers['content-type'] ?? '')?.[1] ?? ''
  const parts = rest.join('\r\n\r\n').split(`--${boundary}`)
  const bodyOf = (type: string) => {
    const part = parts.find((one) => one.includes(`Content-Type: ${type}`)) ?? ''
    return Buffer.from(part.split('\r\n\r\n')[1] ?? '', 'base64').toString()
  }
  return {
    id: /^<([^@>]+)@/.exec(headers['message-id'] ?? '')?.[1] ?? '',
    headers,
    text: bodyOf('text/plain'),
    html: bodyOf('text/html'),
  }
}

function readHeaders(head: string): Record<string, string> {
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')
  return Object.fromEntries(
    lines.map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at).toLowerCase(), decoded(line.slice(at + 1).trim())]
    }),
  )
}

/** RFC 2047: the space between two encoded words does not count. */
const decoded = (text: string): string =>
  text
    .replaceAll(/\?= (?==\?)/g, '?=')
    .replaceAll(/=\?UTF-8\?B\?([^?]*)\?=/g, (_, word: string) => Buffer.from(word, 'base64').toString())
