// The replies of a mail server, one by one: three digits, and a text of one or more lines, bounded.
import type { Socket } from 'node:net'

export interface Reply {
  code: string
  /** Its lines without their codes. */
  text: string
}

export interface Replies {
  /** The next reply. Rejects when the connection breaks, when the server says something else, or when it takes too long. */
  next(to: string): Promise<Reply>
  /** Reads no more from this socket. */
  stop(): void
}

/** How much a server may say in one reply. */
const replyBytesMax = 16_384

interface Waiting {
  resolve: (reply: Reply) => void
  reject: (error: Error) => void
}

export function readReplies(socket: Socket, timeoutMs: number): Replies {
  let text = ''
  let waiting: Waiting | undefined
  let failure: Error | undefined

  const fail = (error: Error) => {
    failure ??= error
    waiting?.reject(failure)
    waiting = undefined
  }
  const serve = () => {
    if (!waiting) return
    const reply = takeReply(text)
    if (!reply) {
      if (text.length > replyBytesMax) fail(new Error('the mail server says too much'))
      return
    }
    text = text.slice(reply.length)
    waiting.resolve(reply)
    waiting = undefined
  }
  const onData = (bytes: Buffer) => {
    text += bytes.toString('latin1')
    // nobody asked for so much: it is not read on
    if (text.length > replyBytesMax * 2) socket.destroy()
    try {
      serve()
    } catch (error) {
      fail(error as Error)
    }
  }
  const onEnd = () => fail(new Error('the mail server closed the connection'))
  const onError = (error: Error) => fail(new Error(`the connection broke: ${error.message}`))
  socket.on('data', onData).on('end', onEnd).on('close', onEnd).on('error', onError)
  return {
    next(to) {
      if (failure) return Promise.reject(failure)
      return new Promise<Reply>((resolve, reject) => {
        const timer = setTimeout(() => fail(new Error(`no answer to ${to} within ${timeoutMs / 1000} s`)), timeoutMs)
        waiting = {
          resolve: (reply) => {
            clearTimeout(timer)
            resolve(reply)
          },
          reject: (error) => {
            clearTimeout(timer)
            reject(error)
          },
        }
        onData(Buffer.alloc(0))
      })
    },
    stop() {
      text = ''
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).off('error', onError)
    },
  }
}

/** RFC 5321 §4.2.1: all lines but the last have a dash after the code. Undefined: it is not whole yet. */
function takeReply(text: string): (Reply & { length: number }) | undefined {
  const lines: string[] = []
  let at = 0
  for (;;) {
    const end = text.indexOf('\n', at)
    if (end < 0) return undefined
    const [, code, mark, says] = /^(\d{3})([ -]?)(.*)$/.exec(text.slice(at, end).replace(/\r$/, '')) ?? []
    if (code === undefined) throw new Error('this is not a mail server: it speaks no SMTP')
    lines.push(printable(says!))
    at = end + 1
    if (mark !== '-') return { code, text: lines.join('\n'), length: at }
  }
}

const printable = (line: string): string => line.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 500)
