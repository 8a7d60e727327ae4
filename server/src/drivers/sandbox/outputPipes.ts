// Named pipes for the output of commands: unlike the sockets that Node gives its children, a program can open them by /dev/stdout.
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { close, constants, open } from 'node:fs'
import { chmod, rm } from 'node:fs/promises'
import { Socket } from 'node:net'
import { finished } from 'node:stream/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { collectOutput } from './boundedText.ts'

const run = promisify(execFile)
// by number: a file object would close it when it is garbage-collected, although a socket uses it by then
const openFile = promisify(open)
const closeFile = promisify(close)

interface OutputPipe {
  /** The command's end of the pipe; closed here once the command has been started. */
  writeFd: number
  closeWriteEnd(): Promise<void>
  /** Resolves to what was written, when every writer is gone. */
  result(): Promise<{ text: string; truncated: boolean }>
}

export interface OutputPipes {
  stdout: OutputPipe
  stderr: OutputPipe
}

/**
 * What nobody will see is read at 20 MiB a second at most, and the command waits meanwhile, as for a slow terminal: `yes` writes gigabytes a second,
 * and to read them took a whole core.
 */
const droppedAtOnce = 512 * 1024
const dropPauseMs = 25

/** In a folder that is closed to others: the pipes themselves are open to whoever runs in the sandbox. */
export async function makeOutputPipes(mkfifo: string, folder: string, bytesMax: number): Promise<OutputPipes> {
  const [out, err] = [join(folder, randomUUID()), join(folder, randomUUID())]
  await run(mkfifo, [out, err], { env: {} })
  const [stdout, stderr] = await Promise.all([openPipe(out, bytesMax), openPipe(err, bytesMax)])
  return { stdout, stderr }
}

async function openPipe(path: string, bytesMax: number): Promise<OutputPipe> {
  await chmod(path, 0o666)
  // The reader first and without waiting: then the writer's end opens at once, and can be one that waits, as programs expect.
  const reader = await openFile(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = await openFile(path, constants.O_WRONLY)
  await rm(path)
  const collected = collectOutput(bytesMax)
  // reads as a stream, where a file would keep a thread waiting; the descriptor is then the socket's to close
  const stream = new Socket({ fd: reader, readable: true, writable: false })
  let dropped = 0
  stream.on('data', (chunk: Buffer) => {
    collected.add(chunk)
    if (!collected.isFull() || (dropped += chunk.length) < droppedAtOnce) return
    dropped = 0
    stream.pause()
    setTimeout(() => stream.resume(), dropPauseMs)
  })
  const ended = finished(stream, { writable: false })
  return {
    writeFd: writer,
    closeWriteEnd: () => closeFile(writer),
    async result() {
      await ended
      return collected.result()
    },
  }
}
