// runyard sandbox-host: runs commands of agents for workers of other machines, until it is stopped. It needs no database and no key.
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ConfigError, type Config } from '../base/config.ts'
import { createLog, type Log } from '../base/log.ts'
import { mustHave } from '../base/mustHave.ts'
import { createOutbound } from '../base/outbound/fetch.ts'
import { createGuard } from '../base/outbound/guard.ts'
import { readableLines } from '../base/readableLog.ts'
import { isLoopback, listenAddress } from '../base/sandboxSettings.ts'
import { runyardVersion } from '../base/version.ts'
import { chooseSandboxDriver } from '../drivers/sandbox/chooseDriver.ts'
import { makeProcessFolder } from '../drivers/sandbox/processFolder.ts'
import { createHostSandboxes } from '../drivers/sandbox/remote/hostSandboxes.ts'
import { createHostServer } from '../drivers/sandbox/remote/hostServer.ts'
import { CommandFailed, type Call } from './command.ts'

export async function sandboxHost({ config, signal, print }: Call): Promise<void> {
  const { token, address } = requireSettings(config)
  const log = logOf(config)
  for (const name of config.given.filter((one) => notNeeded.has(one)))
    log.warn({ setting: name }, 'a sandbox host does not use this; leave it out on a machine that runs foreign code')
  const guard = createGuard({ allowPrivateHosts: config.allowPrivateHosts })
  const outbound = createOutbound(guard)
  const { sandboxHosts: hosts, sandboxShells: slots, sandboxBytesMax: bytesMax } = config
  const driver = await chooseSandboxDriver({
    outbound,
    guard,
    hosts,
    shellsMax: slots,
    log,
    ...(config.sandbox !== 'auto' && { prefer: config.sandbox }),
  })
  const folder = await makeProcessFolder(config.dataDir, log)
  const leaseMs = config.sandboxLeaseS * 1000
  const sandboxes = createHostSandboxes({ driver, folder: folder.path, slots, leaseMs, bytesMax, log })
  const tls = await readTls(config)
  const isStopping = (): boolean => signal.aborted
  const server = createHostServer({ token, tls, driver, sandboxes, slots, leaseMs, hosts, bytesMax, log, isStopping })
  try {
    await listen(server, address)
    const { port } = server.address() as AddressInfo
    const url = `${tls ? 'https' : 'http'}://${address.host.includes(':') ? `[${address.host}]` : address.host}:${port}`
    print(`Sandbox host of Runyard ${runyardVersion} on ${url}, ${slots} slots. Ctrl-C stops it.`)
    print(driver.strength)
    if (!signal.aborted) await once(signal, 'abort')
    log.info('stopping')
    await sandboxes.stop(config.drainS * 1000)
    log.info('stopped')
  } finally {
    server.close()
    server.closeAllConnections()
    await driver.close()
    await folder.remove()
    await outbound.close()
  }
}

/** A process that runs foreign code has no use for what these open. */
const notNeeded = new Set([
  'DATABASE_URL',
  'DATABASE_POOL_URL',
  'RUNYARD_ENCRYPTION_KEY',
  'RUNYARD_NEW_ENCRYPTION_KEY',
  'RUNYARD_API_KEY',
])

function requireSettings(config: Config): { token: string; address: { host: string; port: number } } {
  const { sandboxToken: token, sandboxListen, sandboxTlsCert, sandboxAllowHttp } = config
  const address = mustHave(listenAddress(sandboxListen), 'the address to listen on')
  const problems: string[] = []
  if (token === undefined) problems.push('RUNYARD_SANDBOX_TOKEN must be set: openssl rand -hex 32')
  if (sandboxTlsCert === undefined && !sandboxAllowHttp && !isLoopback(address.host)) {
    problems.push(
      `RUNYARD_SANDBOX_LISTEN is ${sandboxListen}, beyond loopback: set RUNYARD_SANDBOX_TLS_CERT_FILE and RUNYARD_SANDBOX_TLS_KEY_FILE, or ` +
        'RUNYARD_SANDBOX_ALLOW_HTTP=1 if nobody else can read that network',
    )
  }
  if (token === undefined || problems.length > 0) throw new ConfigError(problems)
  return { token, address }
}

function logOf({ logFormat, logLevel }: Config): Log {
  const isReadable = logFormat === 'text' || (logFormat === 'auto' && process.stderr.isTTY)
  return createLog(logLevel, isReadable ? readableLines(process.stderr) : process.stderr)
}

async function readTls(config: Config): Promise<{ cert: string; key: string } | undefined> {
  const { sandboxTlsCert, sandboxTlsKey } = config
  if (sandboxTlsCert === undefined || sandboxTlsKey === undefined) return undefined
  return { cert: await readFile(sandboxTlsCert, 'utf8'), key: await readFile(sandboxTlsKey, 'utf8') }
}

async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<void> {
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new CommandFailed(
      `Port ${port} on ${host} is taken by another process. Set RUNYARD_SANDBOX_LISTEN to a free one.`,
      {
        cause: error,
      },
    )
  }
}
