// The settings of sandboxes: what commands run in, what they may reach, and the machines of their own, for the table in config.ts.
import { isAbsolute } from 'node:path'
import { isIP } from 'node:net'
import { integer, oneOf, text, type Setting } from './settingKinds.ts'

const loopback = /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/

/** The two parts of `127.0.0.1:4790` or `[::1]:4790`; undefined: it is neither. */
export function listenAddress(value: string): { host: string; port: number } | undefined {
  const [, host = '', port] = /^\[?([0-9a-fA-F.:]+?)\]?:(\d{1,5})$/.exec(value) ?? []
  return isIP(host) !== 0 && Number(port) <= 65_535 ? { host, port: Number(port) } : undefined
}

export const sandboxSettings = {
  sandbox: oneOf(
    'RUNYARD_SANDBOX',
    ['auto', 'just_bash', 'bubblewrap'],
    'auto',
    'What commands of agents run in: `bubblewrap` for real processes that the kernel isolates, `just_bash` for a simulated shell in a ' +
      'locked-down child process; `auto` takes bubblewrap where it works.',
  ),
  sandboxHosts: {
    env: 'RUNYARD_SANDBOX_HOSTS',
    says: 'Hosts that sandboxes may reach over HTTP, comma-separated: `api.example.com`, `api.example.com:8443` or `*.example.com`. Private hosts must also be in `RUNYARD_ALLOW_PRIVATE_HOSTS`.',
    unset: 'none',
    read(value = '') {
      const hosts = value
        .split(',')
        .map((one) => one.trim().toLowerCase())
        .filter((one) => one !== '')
      const bad = hosts.find((one) => !/^(\*\.)?[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?$/.test(one))
      if (bad === undefined) return hosts
      throw new Error(`has the entry "${bad}": must be a host name, with :port or with *. in front where wanted`)
    },
  } satisfies Setting<string[]>,
  sandboxShells: integer(
    'RUNYARD_SANDBOX_SHELLS',
    { min: 1, max: 1000, unset: 8 },
    'How many commands of agents and callers one worker process, or one sandbox host, runs at a time; each may use 512 MiB.',
  ),
  sandboxUrls: {
    env: 'RUNYARD_SANDBOX_URLS',
    says:
      'Sandbox hosts on which commands run instead of on the machine of the worker, comma-separated: `https://10.0.0.5:4790`. If none of them takes a ' +
      'command, it fails; it never runs on the machine of the worker.',
    unset: 'none: commands run on the machine of the worker',
    read(value = '') {
      const entries = value.split(/[\s,]+/).filter((one) => one !== '')
      for (const entry of entries) {
        const url = URL.parse(entry)
        if (url && /^https?:$/.test(url.protocol) && (url.href === `${url.origin}/` || url.origin === entry)) continue
        throw new Error(`has the entry "${entry}": must be a URL such as https://10.0.0.5:4790, without a path`)
      }
      return [...new Set(entries.map((entry) => new URL(entry).origin))]
    },
  } satisfies Setting<string[]>,
  sandboxToken: {
    ...text(
      'RUNYARD_SANDBOX_TOKEN',
      'none',
      'What workers and sandbox hosts know each other by, 32 or more printable characters: `openssl rand -hex 32`. Whoever has it can run commands in sandboxes there.',
      true,
    ),
    read(value) {
      if (value === undefined || /^[\x21-\x7e]{32,512}$/.test(value)) return value
      throw new Error('must be 32 or more printable characters without spaces: openssl rand -hex 32')
    },
  } satisfies Setting<string | undefined>,
  sandboxListen: {
    env: 'RUNYARD_SANDBOX_LISTEN',
    says: 'The IP address and port on which `runyard sandbox-host` listens.',
    unset: '`127.0.0.1:4790`',
    read(value = '127.0.0.1:4790') {
      if (listenAddress(value)) return value
      throw new Error('must be an IP address and a port, such as 0.0.0.0:4790 or [::]:4790')
    },
  } satisfies Setting<string>,
  sandboxTlsCert: filePath(
    'RUNYARD_SANDBOX_TLS_CERT_FILE',
    'The PEM file of the certificate of a sandbox host, with those above it. Read at the start.',
  ),
  sandboxTlsKey: filePath('RUNYARD_SANDBOX_TLS_KEY_FILE', 'The PEM file of the key of that certificate.'),
  sandboxAllowHttp: {
    env: 'RUNYARD_SANDBOX_ALLOW_HTTP',
    says:
      'Whether workers and sandbox hosts may speak plain HTTP beyond loopback. Files, secrets of commands and the token then cross the network as they are. ' +
      '`1` or `0`.',
    unset: '`0`',
    read(value = '0') {
      if (value !== '0' && value !== '1') throw new Error('must be 1 or 0')
      return value === '1'
    },
  } satisfies Setting<boolean>,
  sandboxLeaseS: integer(
    'RUNYARD_SANDBOX_LEASE_S',
    // a worker opens no sandbox on a lease that is longer (leaseMsMax)
    { min: 1, max: 300, unset: 20 },
    'After how many seconds without a word from its worker a sandbox host ends a sandbox, with its processes and files.',
  ),
}

function filePath(env: string, says: string): Setting<string | undefined> {
  return {
    ...text(env, 'none: plain HTTP', says),
    read(value) {
      if (value === undefined || isAbsolute(value)) return value
      throw new Error('must be the whole path of a file')
    },
  }
}

interface Given {
  sandbox?: string
  sandboxUrls?: string[]
  sandboxToken?: unknown
  sandboxTlsCert?: unknown
  sandboxTlsKey?: unknown
  sandboxAllowHttp?: boolean
}

export function sandboxProblems(given: Given): string[] {
  const { sandbox, sandboxUrls = [], sandboxToken, sandboxTlsCert, sandboxTlsKey, sandboxAllowHttp } = given
  const problems: string[] = []
  if ((sandboxTlsCert === undefined) !== (sandboxTlsKey === undefined))
    problems.push('RUNYARD_SANDBOX_TLS_CERT_FILE and RUNYARD_SANDBOX_TLS_KEY_FILE must both be set, or neither')
  if (sandboxUrls.length === 0) return problems
  if (sandboxToken === undefined) problems.push('RUNYARD_SANDBOX_URLS needs RUNYARD_SANDBOX_TOKEN as well')
  if (sandbox !== undefined && sandbox !== 'auto') {
    problems.push(
      'RUNYARD_SANDBOX says what commands run in on this machine, and RUNYARD_SANDBOX_URLS sends them to others: set one of them',
    )
  }
  const plain = sandboxUrls.find((url) => url.startsWith('http:') && !isLoopback(new URL(url).hostname))
  if (plain !== undefined && sandboxAllowHttp !== true) {
    problems.push(
      `RUNYARD_SANDBOX_URLS has the entry "${plain}": must begin with https://, or RUNYARD_SANDBOX_ALLOW_HTTP must be 1`,
    )
  }
  return problems
}

export const isLoopback = (host: string): boolean => loopback.test(host)
