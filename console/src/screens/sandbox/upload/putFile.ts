// Sends a file to a signed URL and says how far it is: a fetch cannot say that of what it sends.
import { ConnectionError, errorOf } from '@runyard/sdk'

interface PutOptions {
  signal: AbortSignal
  onProgress: (sentBytes: number) => void
}

/** What is over soon, such as a command that runs in the sandbox, fails like a lost connection: it is tried again. */
const conflict = 409

export function putFile(url: string, file: Blob, { signal, onProgress }: PutOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('PUT', url)
    request.upload.addEventListener('progress', ({ loaded }) => onProgress(loaded))
    request.addEventListener('load', () => {
      const { status, responseText } = request
      if (status >= 200 && status < 300) return resolve()
      const error = errorOf(new Response(null, { status }), responseText)
      reject(status === conflict ? new ConnectionError(error.message) : error)
    })
    const cutOff = () => reject(new ConnectionError('The connection was cut off.'))
    request.addEventListener('error', cutOff)
    request.addEventListener('timeout', cutOff)
    request.addEventListener('abort', () => reject(signal.reason as Error))
    signal.addEventListener('abort', () => request.abort(), { once: true })
    if (signal.aborted) return reject(signal.reason as Error)
    request.send(file)
  })
}
