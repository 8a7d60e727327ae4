// The end of what a process wrote to stderr: for the log, when it died.
import type { Readable } from 'node:stream'

export function lastWords(stderr: Readable): () => string {
  let end = ''
  stderr.setEncoding('utf8').on('data', (text: string) => {
    end = (end + text).slice(-2000)
  })
  return () => end.trim()
}
