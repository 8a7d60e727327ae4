// Checks that the port of the API is free, or served by the Runyard of this data dir.
import { get } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { reasonOf } from '../../base/databaseRefused.ts'
import { readIfThere } from '../../base/atomicFile.ts'
import { hostForUrl } from '../../kit/context.ts'
import { ok, problem, warning, type Check } from './check.ts'

export const port: Check = {
  name: 'port',
  async run({ config }) {
    if (config.role === 'worker' && !config.portGiven) return ok('a worker listens on none')
    if (config.port === 0) return ok('any free one is taken at the start')
    const where = `${config.port} on ${config.host}`
    const failure = await listenOnce(config.host, config.port)
    if (failure === undefined) return ok(`${where} is free`)
    if (failure.code === 'EACCES') return problem(`This user may not listen on ${where}: set PORT to 1024 or more.`)
    if (failure.code !== 'EADDRINUSE') return problem(`${where} cannot be listened on: ${failure.message}. Set HOST.`)
    const pid = await servicePid(config.dataDir)
    const answer = await askHealth(`http://${hostForUrl(config.host)}:${config.port}/healthz`)
    if (answer !== 'alive') {
      return pid === undefined
        ? problem(`${where} is taken by another program: stop it, or set PORT.`)
        : warning(`${where} is Runyard’s (process ${pid}), but /healthz says ${answer}: look into its log.`)
    }
    if (pid !== undefined) return ok(`${where} is served by this Runyard, process ${pid}`)
    return problem(`${where} is served by a Runyard of another data dir: set PORT, or RUNYARD_DATA_DIR to that one’s.`)
  },
}

/** Undefined: it can be listened on. */
function listenOnce(host: string, number: number): Promise<NodeJS.ErrnoException | undefined> {
  const probe = createServer()
  return new Promise((resolve) => {
    probe.once('error', resolve)
    probe.listen({ host, port: number, exclusive: true }, () => probe.close(() => resolve(undefined)))
  })
}

/** The id of the living process that wrote service.json; a killed one leaves the file behind. */
async function servicePid(dataDir: string): Promise<number | undefined> {
  const text = await readIfThere(join(dataDir, 'service.json'))
  if (text === undefined) return undefined
  const { pid } = JSON.parse(text) as { pid: number }
  try {
    process.kill(pid, 0)
    return pid
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? pid : undefined
  }
}

/** This machine's own listener, by the host of the settings. The outbound guard is only for URLs that users give. */
function askHealth(url: string): Promise<string> {
  return new Promise((resolve) => {
    const request = get(url, { timeout: 2000, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (piece: string) => {
        body = (body + piece).slice(0, 1000)
      })
      response.on('end', () => resolve(body.includes('"alive"') ? 'alive' : `status ${response.statusCode}`))
    })
    request.on('timeout', () => request.destroy(new Error('nothing for 2 seconds')))
    request.on('error', (error) => resolve(reasonOf(error)))
  })
}
