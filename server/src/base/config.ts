// Every setting of the service: one typed table that reads the environment, reports all bad values together and documents itself.
import { isAbsolute, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { blobProblems, blobSettings } from './blobSettings.ts'
import { isId } from './ids.ts'
import { isMailAddress, mailProblems, mailSettings } from './mailSettings.ts'
import { isOauthSetting, oauthSettingRows, readOauthSettings, type OauthSettings } from './oauthSettings.ts'
import { oidcProblems, oidcSettings } from './oidcSettings.ts'
import { parsePrivateHostList } from './outbound/guard.ts'
import { sandboxProblems, sandboxSettings } from './sandboxSettings.ts'
import { isMistypedKey } from './secrets.ts'
import {
  address,
  databaseAddress,
  encryptionKey,
  integer,
  label,
  oneOf,
  providerKey,
  providerUrl,
  readHeaders,
  readNetworks,
  readOrigins,
  readRetention,
  readSight,
  readWindows,
  readWorkerPools,
  text,
  type RetentionDays,
  type Setting,
  type SightWord,
  type WorkerPools,
} from './settingKinds.ts'

/** Bad settings, all of them: the process prints them and exits 78 (EX_CONFIG of sysexits.h). */
export class ConfigError extends Error {
  readonly problems: string[]
  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

const settings = {
  port: integer('PORT', { min: 0, max: 65_535, unset: 4700 }, 'The port of the API; 0 takes any free one.'),
  host: text('HOST', '`127.0.0.1`', 'The IP address to listen on; `0.0.0.0` for all.'),
  publicUrl: address(
    'PUBLIC_URL',
    ['http:', 'https:'],
    'the URL it listens on',
    'The URL under which users reach the service, for links, OAuth redirects and signed URLs.',
  ),
  databaseUrl: databaseAddress(
    'DATABASE_URL',
    'embedded PostgreSQL 18',
    'Your own PostgreSQL, version 15 or newer. Several hosts (`postgres://user@h1:5432,h2:5432/runyard`) are a replicated one: whichever takes ' +
      'writes is used. Connect directly: `DATABASE_POOL_URL` is for a transaction pooler.',
  ),
  databasePoolUrl: databaseAddress(
    'DATABASE_POOL_URL',
    'none: everything connects to `DATABASE_URL`',
    'A transaction pooler in front of the same database, such as PgBouncer. All statements go through it; migrations, locks, notifications, ' +
      'backups and key rotation keep using `DATABASE_URL`.',
  ),
  databasePoolStatements: oneOf(
    'DATABASE_POOL_STATEMENTS',
    ['unnamed', 'named'],
    'unnamed',
    'Whether statements keep their names through the pooler, so that the server keeps their plans. `named` needs PgBouncer 1.21 or newer with ' +
      '`max_prepared_statements` of 1000 or more.',
  ),
  databaseAnswerMs: integer(
    'RUNYARD_DATABASE_ANSWER_MS',
    { min: 250, max: 60_000, unset: 1250 },
    'How long PostgreSQL may take to answer `select 1` before it counts as away: then requests fail at once until it answers. Raise it where ' +
      'the machine of the database stands still for a moment now and then.',
  ),
  dataDir: text(
    'RUNYARD_DATA_DIR',
    '`./.runyard`',
    'The folder of the embedded database, the keys and `service.json`.',
  ),
  role: oneOf(
    'RUNYARD_ROLE',
    ['all', 'api', 'worker'],
    'all',
    'What this process does; the option `--role` goes first.',
  ),
  zone: label(
    'RUNYARD_ZONE',
    'none',
    'The zone of the machine that this process runs on, such as `eu-central-1a`. A load balancer that asks `/readyz?zone=…` finds the processes of one zone.',
  ),
  apiKey: {
    ...text(
      'RUNYARD_API_KEY',
      'a random one',
      'The first key, 24 or more printable characters; a new value on a later start becomes one more key.',
      true,
    ),
    read(value) {
      if (value === undefined) return value
      if (!/^[\x21-\x7e]{24,512}$/.test(value)) {
        throw new Error('must be 24 or more printable characters without spaces')
      }
      if (!isMistypedKey(value)) return value
      throw new Error(
        'looks like a key that Runyard made and has a wrong checksum: copy it whole, or choose another text of your own',
      )
    },
  } satisfies Setting<string | undefined>,
  teamName: text('RUNYARD_TEAM_NAME', '`My team`', 'The name of the team made at the first start.'),
  systemTeams: {
    env: 'RUNYARD_SYSTEM_TEAMS',
    says: 'Ids of the teams, comma-separated, whose admins see the whole installation (`getSystem`: processes, sizes, settings without secrets); `*` for all teams.',
    unset: 'the oldest team',
    read(value) {
      if (value === undefined) return undefined
      const entries = value.split(/[\s,]+/).filter((one) => one !== '')
      const bad = entries.find((one) => one !== '*' && !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(one))
      if (bad === undefined) return entries.map((one) => one.toLowerCase())
      throw new Error(`has the entry "${bad}": must be the id of a team, or *`)
    },
  } satisfies Setting<string[] | undefined>,
  hasDemo: {
    env: 'RUNYARD_DEMO',
    says: 'Whether the first start makes a demo agent; with `RUNYARD_API_KEY` set it never does. `1` or `0`.',
    unset: '`1`',
    read(value = '1') {
      if (value !== '0' && value !== '1') throw new Error('must be 1 or 0')
      return value === '1'
    },
  } satisfies Setting<boolean>,
  encryptionKey: encryptionKey(
    'RUNYARD_ENCRYPTION_KEY',
    '`<data dir>/key`, made once',
    'Encrypts secrets at rest: 32 bytes as hex or base64. Required with your own database once it has data.',
  ),
  newEncryptionKey: encryptionKey(
    'RUNYARD_NEW_ENCRYPTION_KEY',
    'none',
    'The new key for `runyard key rotate-encryption`, needed only if `RUNYARD_ENCRYPTION_KEY` is set.',
  ),
  allowPrivateHosts: {
    env: 'RUNYARD_ALLOW_PRIVATE_HOSTS',
    says: 'Hosts, IP addresses or CIDRs, comma-separated, that calls to URLs of users may reach although they are not public.',
    unset: 'none',
    read(value) {
      const { hosts, bad } = parsePrivateHostList(value ?? '')
      if (bad.length === 0) return hosts
      throw new Error(bad.map(({ entry, reason }) => `has the entry "${entry}": ${reason}`).join('; '))
    },
  } satisfies Setting<string[]>,
  returnUrls: {
    env: 'RUNYARD_RETURN_URLS',
    says: 'More origins, comma-separated, that a browser may be sent to after an authorisation: `https://app.example.com`.',
    unset: 'only that of `PUBLIC_URL`',
    read: readOrigins,
  } satisfies Setting<string[]>,
  ...oidcSettings,
  ...mailSettings,
  ...blobSettings,
  brokerUrl: providerUrl(
    'RUNYARD_BROKER_URL',
    'none',
    'A broker with Nango’s API, for third-party connections; it stores their tokens.',
  ),
  brokerKey: {
    ...providerKey('RUNYARD_BROKER_KEY', ''),
    says: 'The secret key of that broker.',
  } satisfies Setting<string | undefined>,
  ...sandboxSettings,
  teamShare: integer(
    'RUNYARD_TEAM_SHARE',
    { min: 1, max: 100, unset: 75 },
    'How much of a pool that all teams share one team may hold, in percent (commands, jobs, database connections of requests and others: ' +
      'ARCHITECTURE.md lists them). With a single team, set it to 100.',
  ),
  transfersMax: integer(
    'RUNYARD_TRANSFERS',
    { min: 1, max: 10_000, unset: 64 },
    'How many files and pictures one process sends or takes by signed URLs at a time, about 3 MiB of memory each, 9 MiB on the way into an object store; one team has at most its share of them.',
  ),
  streamsMax: integer(
    'RUNYARD_STREAMS',
    { min: 1, max: 1_000_000, unset: 4000 },
    'How many live streams of events one process holds open; one team has at most its share of them.',
  ),
  streamsOfKeyMax: integer(
    'RUNYARD_STREAMS_PER_KEY',
    { min: 1, max: 1_000_000, unset: 500 },
    'How many live streams of events one credential may hold open in one process.',
  ),
  sandboxBytesMax: integer(
    'RUNYARD_SANDBOX_BYTES',
    { min: 1024 * 1024, max: 1024 ** 4, unset: 5 * 1024 ** 3 },
    'How many bytes the files of one sandbox may have together.',
  ),
  teamFilesBytesMax: integer(
    'RUNYARD_TEAM_FILES_BYTES',
    { min: 1024 * 1024, max: 1024 ** 5, unset: 50 * 1024 ** 3 },
    'How many bytes the files of all sandboxes of one team may have together.',
  ),
  teamStorageBytes: integer(
    'RUNYARD_TEAM_STORAGE_BYTES',
    { min: 0, max: 1024 ** 5, unset: 10 * 1024 ** 3 },
    'How many bytes a team may keep in files, cases, memory and large messages unless `runyard entitlements set` says otherwise; 0: no limit.',
  ),
  cdpUrl: address(
    'RUNYARD_CDP_URL',
    ['http:', 'https:', 'ws:', 'wss:'],
    'the Chromium that comes with the service',
    'A browser of your own that agents use instead: the URL of its DevTools protocol.',
    true,
  ),
  chromium: {
    ...text(
      'RUNYARD_CHROMIUM',
      'that of the npm package, else one in the `PATH`',
      'The file of an installed Chromium or Chrome that is started instead of the one that comes with the service.',
    ),
    read(value) {
      if (value === undefined || isAbsolute(value)) return value
      throw new Error('must be the whole path of a file, such as /usr/bin/chromium')
    },
  } satisfies Setting<string | undefined>,
  browserSessionsMax: integer(
    'RUNYARD_BROWSER_SESSIONS',
    { min: 1, max: 1000, unset: 16 },
    'How many runs use the browser of one worker process at a time, each with up to ten pages; others wait.',
  ),
  rateLimit: integer(
    'RUNYARD_RATE_LIMIT',
    { min: 0, max: 10_000_000, unset: 6000 },
    'Requests a minute for one credential (ten times that for a team); 0 switches the limit off.',
  ),
  triggerRateLimit: integer(
    'RUNYARD_TRIGGER_RATE_LIMIT',
    { min: 0, max: 10_000_000, unset: 600 },
    'Deliveries a minute to the address of one trigger; 0 switches the limit off.',
  ),
  inboundMailPort: {
    env: 'RUNYARD_INBOUND_MAIL_PORT',
    says: 'The port on which working processes take mail for triggers, by SMTP on `HOST`. Put a mail server of your own in front of it: it neither relays nor encrypts.',
    unset: 'none: no mail is taken',
    read(value) {
      if (value === undefined) return undefined
      const port = Number(value)
      if (/^\d+$/.test(value) && port <= 65_535) return port
      throw new Error('must be a port from 0 to 65535')
    },
  } satisfies Setting<number | undefined>,
  inboundMailDomain: {
    env: 'RUNYARD_INBOUND_MAIL_DOMAIN',
    says: 'The domain of the mail addresses of triggers, whose mail leads to that port: `in.example.com`.',
    unset: 'none',
    read(value) {
      if (value === undefined || isMailAddress(`x@${value}`)) return value?.toLowerCase()
      throw new Error('must be a domain such as in.example.com')
    },
  } satisfies Setting<string | undefined>,
  trustedProxies: {
    env: 'RUNYARD_TRUSTED_PROXIES',
    says:
      'Proxies and load balancers in front of the service, comma-separated: IP addresses or networks such as `10.0.0.0/8`. A request from one of ' +
      'them counts for the rightmost IP address in `X-Forwarded-For` that is not a trusted proxy itself; from anyone else the header ' +
      'is ignored. Only requests without a valid credential are counted by IP address.',
    unset: 'none',
    read: readNetworks,
  } satisfies Setting<string[]>,
  workerConcurrency: integer(
    'RUNYARD_WORKER_CONCURRENCY',
    { min: 1, max: 1000, unset: 68 },
    'How many runs one worker process advances at a time; waiting runs do not count. One team has at most its share of them (`RUNYARD_TEAM_SHARE`).',
  ),
  workerPools: {
    env: 'RUNYARD_WORKER_POOLS',
    says:
      'Which runs this worker process takes, comma-separated: names of pools, which builds ask for by `worker_pool` (`default` are those that ask for ' +
      'none), `team:<id>` for all runs of a team, `!team:<id>` for none of them.',
    unset: 'all runs but those of the pool `drill`, which is kept for drills',
    read: readWorkerPools,
  } satisfies Setting<WorkerPools | undefined>,
  drillTeam: {
    env: 'RUNYARD_DRILL_TEAM',
    says:
      'Set by `runyard drill` for the worker processes that it starts and kills: such a process works on the runs of this team, delivers its events, ' +
      'and does nothing for anybody else. Do not set it yourself.',
    unset: 'none',
    read(value) {
      if (value === undefined || isId(value)) return value
      throw new Error('must be the id of a team')
    },
  } satisfies Setting<string | undefined>,
  runMemoryBytes: integer(
    'RUNYARD_RUN_MEMORY_BYTES',
    { min: 1024 * 1024, max: 1024 ** 4, unset: 64 * 1024 * 1024 },
    'How many bytes of memory the messages and results of one run may take; a run that needs more fails with `limit_reached`.',
  ),
  retentionDays: {
    env: 'RUNYARD_RETENTION_DAYS',
    says:
      'For how many days data is kept, such as `runs=90,messages=90,events=30`: `runs` (everything of a run, after its end), `messages` ' +
      '(messages, inputs and outputs of steps, what people were asked and answered, after the end; the run stays), `events`, `screenshots`, `files`, `audit` (the audit log), `refusals` (audit rows of refused requests). Each is a number or `forever`. Events and the audit log are erased in pieces: they may ' +
      'stay for a quarter of their days longer, 31 days at most.',
    unset: '`runs=forever,messages=forever,events=30,screenshots=30,files=30,audit=400,refusals=30`',
    read: readRetention,
  } satisfies Setting<RetentionDays>,
  webhookScheduleS: {
    env: 'RUNYARD_WEBHOOK_SCHEDULE',
    says: 'How many seconds to wait before each attempt of a delivery, comma-separated: after the event, then after each failed attempt. There are as many attempts as numbers.',
    unset: '`0,5,30,120,600,1800,7200,18000,36000,50400,72000,86400`',
    read(value = '0,5,30,120,600,1800,7200,18000,36000,50400,72000,86400') {
      const seconds = value.split(',').map((one) => (one.trim() === '' ? NaN : Number(one)))
      if (seconds.some((one) => !(one >= 0 && one <= 30 * 86_400)) || seconds.length > 50 || seconds[0] !== 0) {
        throw new Error('must be 1 to 50 numbers of seconds, each at most 2592000, the first one 0')
      }
      return seconds
    },
  } satisfies Setting<number[]>,
  drainS: integer(
    'RUNYARD_DRAIN_S',
    { min: 0, max: 3600, unset: 30 },
    'How many seconds a stopping process gives the work under way to finish.',
  ),
  readinessIntervalMs: integer(
    'RUNYARD_READINESS_INTERVAL_MS',
    { min: 0, max: 60_000, unset: 1000 },
    'How often the load balancer asks `/readyz`; after SIGTERM the process still answers requests for two of these intervals.',
  ),
  model: {
    env: 'RUNYARD_MODEL',
    says: 'The model of agents that name none: `anthropic:…`, `openai:…`, `google:…`, `openai-compatible:…` or `builtin:runbook`.',
    unset: '`builtin:runbook`',
    read(value = 'builtin:runbook') {
      if (value === 'builtin:runbook' || /^(anthropic|openai|google|openai-compatible):\S+$/.test(value)) return value
      throw new Error(
        'must be builtin:runbook or provider:model with one of anthropic, openai, google, openai-compatible',
      )
    },
  } satisfies Setting<string>,
  modelPrices: text(
    'RUNYARD_MODEL_PRICES',
    'the built-in table',
    'A JSON file `{"provider:model": {"input": "3", "output": "15"}}` in dollars per million tokens; it overrides the built-in table.',
  ),
  modelWindows: {
    env: 'RUNYARD_MODEL_WINDOWS',
    says:
      'How many tokens a request to a model may hold, such as `openai-compatible:qwen3=32768,openai-compatible:*=8192`; it overrides the ' +
      'built-in table. Models that are not in it count with 128000.',
    unset: 'the built-in table',
    read: readWindows,
  } satisfies Setting<Record<string, number>>,
  modelSight: {
    env: 'RUNYARD_MODEL_SIGHT',
    says:
      'Which files a model takes besides text, such as `openai-compatible:qwen3-vl=pictures,openai-compatible:*=none`: `pictures` (PNG, JPEG, GIF, ' +
      'WebP), `pdf`, `pictures+pdf` or `none`; it overrides the built-in table. Models that are not in it take text alone.',
    unset: 'the built-in table',
    read: readSight,
  } satisfies Setting<Record<string, SightWord>>,
  foldAt: integer(
    'RUNYARD_FOLD_AT',
    { min: 20, max: 95, unset: 75 },
    'From how much of a model’s window on, in percent, old results of a run are shortened and its old turns folded into notes.',
  ),
  modelPatienceS: integer(
    'RUNYARD_MODEL_PATIENCE_S',
    { min: 0, max: 3600, unset: 20 },
    'How many seconds a run waits for a provider that has too much to do before it asks the next model of its build, where there is one.',
  ),
  anthropicKey: providerKey('ANTHROPIC_API_KEY', 'Anthropic'),
  anthropicUrl: providerUrl('ANTHROPIC_BASE_URL', 'the provider’s own', 'The URL of a gateway for Anthropic.'),
  openaiKey: providerKey('OPENAI_API_KEY', 'OpenAI'),
  openaiUrl: providerUrl('OPENAI_BASE_URL', 'the provider’s own', 'The URL of a gateway for OpenAI.'),
  googleKey: providerKey('GOOGLE_GENERATIVE_AI_API_KEY', 'Google'),
  googleUrl: providerUrl('GOOGLE_BASE_URL', 'the provider’s own', 'The URL of a gateway for Google.'),
  openaiCompatibleUrl: providerUrl(
    'OPENAI_COMPATIBLE_URL',
    'none',
    'The URL of a server with OpenAI’s chat completions (Ollama, vLLM, llama.cpp, a gateway), for `openai-compatible:…`.',
  ),
  openaiCompatibleKey: providerKey('OPENAI_COMPATIBLE_KEY', 'that server, where it wants one'),
  otlpEndpoint: providerUrl(
    'OTEL_EXPORTER_OTLP_ENDPOINT',
    'none: no traces',
    'Where traces of runs are sent, by OTLP over HTTP (JSON) to `/v1/traces` below it. They have names, times and token counts, no contents.',
  ),
  otlpHeaders: {
    ...text(
      'OTEL_EXPORTER_OTLP_HEADERS',
      'none',
      'Headers sent with traces: `name=value,name=value`, percent-encoded.',
      true,
    ),
    read: readHeaders,
  } satisfies Setting<Record<string, string>>,
  metricsToken: {
    ...text(
      'RUNYARD_METRICS_TOKEN',
      'none: anybody who reaches the port can read the metrics',
      'With it, `/metrics` needs `Authorization: Bearer <token>`; 16 or more printable characters.',
      true,
    ),
    read(value) {
      if (value === undefined || /^[\x21-\x7e]{16,512}$/.test(value)) return value
      throw new Error('must be 16 to 512 printable characters without spaces')
    },
  } satisfies Setting<string | undefined>,
  logLevel: oneOf(
    'LOG_LEVEL',
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'],
    'info',
    'The least important log lines that are written.',
  ),
  logFormat: oneOf(
    'LOG_FORMAT',
    ['auto', 'json', 'text'],
    'auto',
    'How log lines look: `json` for programs, `text` for people, `auto` for text in a terminal and JSON elsewhere.',
  ),
} satisfies Record<string, Setting<unknown>>

type Read = { [Name in keyof typeof settings]: ReturnType<(typeof settings)[Name]['read']> }

export interface Config extends Omit<Read, 'host' | 'dataDir' | 'teamName'> {
  host: string
  dataDir: string
  teamName: string
  /** The names of the settings that were given, those of OAuth providers too. */
  given: string[]
  /** Whether PORT was given: a pure worker listens only then. */
  portGiven: boolean
  /** The folder of the built console, beside that of the server in the repository and in the npm package. Only tests have another one. */
  consoleDir: string
  /** Settings by the provider's name. */
  oauth: Record<string, OauthSettings>
}

/** An empty value counts as absent: compose files and CI systems set variables to "" for "not set". */
export function readConfig(env: NodeJS.ProcessEnv): Config {
  const problems: string[] = []
  const values = {} as Record<string, unknown>
  for (const [name, setting] of Object.entries(settings)) {
    try {
      values[name] = setting.read(env[setting.env] || undefined)
    } catch (error) {
      problems.push(`${setting.env} ${error instanceof Error ? error.message : String(error)}`)
    }
  }
  const oauth = readOauthSettings(env, (name, message) => problems.push(`${name} ${message}`))
  const read = values as unknown as Read
  problems.push(...oidcProblems(read), ...mailProblems(read), ...blobProblems(read), ...sandboxProblems(read))
  if (read.databasePoolUrl !== undefined && read.databaseUrl === undefined) {
    problems.push(
      'DATABASE_POOL_URL needs DATABASE_URL too: the address of the database itself, for what cannot go through a pooler',
    )
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return {
    ...read,
    host: read.host ?? '127.0.0.1',
    dataDir: resolve(read.dataDir ?? '.runyard'),
    teamName: read.teamName ?? 'My team',
    given: Object.keys(env).filter((name) => env[name] && (knownNames.has(name) || isOauthSetting(name))),
    portGiven: Boolean(env.PORT),
    consoleDir: fileURLToPath(new URL('../../../console/dist', import.meta.url)),
    oauth,
  }
}

const knownNames = new Set(Object.values(settings).map(({ env }) => env))

export interface ShownSetting {
  name: string
  says: string
  /** What holds where it is not set, in words. */
  unset: string
  is_secret: boolean
  is_set: boolean
  /** The value in force; null for a secret, and where nothing is set. */
  value: string | null
}

/** Every setting with its value, and of secrets only whether they are set. */
export function shownSettings(config: Config): ShownSetting[] {
  const given = new Set(config.given)
  const rows = Object.entries(settings).map(([name, setting]) => {
    const { env, says, unset } = setting
    const isSecret = 'secret' in setting && setting.secret
    return {
      name: env,
      says,
      unset,
      is_secret: isSecret,
      is_set: given.has(env),
      value: isSecret ? null : shownValue(config[name as keyof Config]),
    }
  })
  const oauth = config.given.filter(isOauthSetting).map((name) => ({
    name,
    says: 'A setting of an OAuth provider.',
    unset: 'none',
    is_secret: true,
    is_set: true,
    value: null,
  }))
  return [...rows, ...oauth]
}

function shownValue(value: unknown): string | null {
  if (value === undefined || value === null) return null
  if (typeof value === 'boolean') return value ? '1' : '0'
  if (Array.isArray(value)) return value.length === 0 ? null : value.join(', ')
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([kind, one]) => `${kind}=${String(one ?? 'forever')}`)
      .join(', ')
  return typeof value === 'string' || typeof value === 'number' ? withoutPassword(String(value)) : null
}

/** A URL may carry a name and a password, whatever its setting is for. */
const withoutPassword = (value: string): string => value.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i, '$1…@')

/** Names of ours that no setting has: most often a misspelling, which would otherwise do nothing, silently. RUNYARD_TEST_… is the tests'. */
export function unknownSettings(env: NodeJS.ProcessEnv): string[] {
  const known = new Set(Object.values(settings).map((setting) => setting.env))
  return Object.keys(env).filter((name) => /^RUNYARD_(?!TEST_)/.test(name) && !known.has(name))
}

/** docs/configuration.md, from the same table. */
export function configurationPage(): string {
  const rows = Object.values(settings).map(
    (setting) =>
      `| \`${setting.env}\` | ${setting.unset} | ${setting.says}${'secret' in setting && setting.secret ? ' Secret.' : ''} |`,
  )
  return [
    '# Configuration',
    '',
    'Settings are environment variables. Startup reports every invalid setting together and exits with 78. An empty value counts as absent.',
    'This page is generated from `server/src/base/config.ts` by `npm run openapi`.',
    '',
    '| Setting | If not set | What it does |',
    '|---|---|---|',
    ...rows,
    '',
    '## OAuth providers',
    '',
    '`<PROVIDER>` is a name of the [table of providers](providers.md) in capitals, underscores for dashes: `OAUTH_GOOGLE_SHEETS_CLIENT_ID`.',
    'A provider is offered when its client id and secret are set.',
    '',
    '| Setting | If not set | What it does |',
    '|---|---|---|',
    ...oauthSettingRows(),
    '',
  ].join('\n')
}
