// The Helm chart as files, and what it becomes with the values of a test: rendered by Go where Go is installed, and committed for where it is not.
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { parse } from 'yaml'

export const repository = fileURLToPath(new URL('../../../', import.meta.url))
const chart = join(repository, 'deploy/helm/runyard')
const own = join(repository, 'server/test/deploy')

export type Values = { [key: string]: unknown }

/** What tests render: the least that somebody must say, and everything switched on. */
export const renderings: Record<string, Values> = {
  least: { image: { repository: 'registry.example.com/runyard' }, existingSecret: 'runyard' },
  everything: {
    image: { repository: 'registry.example.com/runyard', tag: 'next' },
    imagePullSecrets: [{ name: 'registry' }],
    existingSecret: 'runyard-secrets',
    config: { PUBLIC_URL: 'https://runyard.example.com', RUNYARD_TRUSTED_PROXIES: '10.0.0.0/8', RUNYARD_STREAMS: 8000 },
    extraEnv: [{ name: 'ANTHROPIC_API_KEY', valueFrom: { secretKeyRef: { name: 'models', key: 'anthropic' } } }],
    extraEnvFrom: [{ configMapRef: { name: 'more-settings' } }],
    drainSeconds: 120,
    podAnnotations: { 'example.com/owner': 'agents' },
    podLabels: { 'example.com/tier': 'service' },
    api: {
      autoscaling: { enabled: true },
      extraEnv: [{ name: 'LOG_LEVEL', value: 'warn' }],
      nodeSelector: { 'kubernetes.io/arch': 'arm64' },
    },
    workers: {
      autoscaling: { enabled: true },
      bubblewrap: true,
      dataSizeLimit: '60Gi',
      tolerations: [{ key: 'sandboxes', operator: 'Exists' }],
      affinity: { nodeAffinity: {} },
    },
    service: { annotations: { 'example.com/lb': 'internal' }, trafficDistribution: 'PreferSameZone' },
    ingress: {
      enabled: true,
      className: 'nginx',
      host: 'runyard.example.com',
      tlsSecret: 'tls',
      annotations: { a: 'b' },
    },
    serviceAccount: { annotations: { 'example.com/role': 'runyard' } },
    podMonitor: { enabled: true, labels: { release: 'prometheus' }, tokenKey: 'RUNYARD_METRICS_TOKEN' },
  },
}

export const readChart = (file: string): Promise<string> => readFile(join(chart, file), 'utf8')

const isObject = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Maps are merged, everything else is replaced, as Helm does it. */
export function mergedValues(usual: Values, given: Values): Values {
  const merged = { ...usual }
  for (const [key, value] of Object.entries(given)) {
    const before = usual[key]
    merged[key] = isObject(before) && isObject(value) ? mergedValues(before, value) : value
  }
  return merged
}

async function templateTexts(): Promise<Record<string, string>> {
  const names = (await readdir(join(chart, 'templates'))).toSorted()
  return Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readChart(`templates/${name}`)])))
}

/** Changes with whatever the renderings follow from. */
export async function chartHash(): Promise<string> {
  const files = [await readChart('Chart.yaml'), await readChart('values.yaml'), JSON.stringify(renderings)]
  return createHash('sha256')
    .update(JSON.stringify([files, await templateTexts()]))
    .digest('hex')
    .slice(0, 16)
}

/** Where Debian and others put the program, and Debian the sources of its packages. */
const goPrograms = ['/usr/bin/go', '/usr/local/go/bin/go', '/usr/lib/go-1.19/bin/go']

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** The program, or the sentence why the chart cannot be rendered here. */
export async function findGo(): Promise<{ go: string; packages: string } | { missing: string }> {
  const packages = process.env['RUNYARD_TEST_GOPATH'] ?? '/usr/share/gocode'
  const programs = [...(process.env['RUNYARD_TEST_GO'] ? [process.env['RUNYARD_TEST_GO']] : []), ...goPrograms]
  for (const go of programs) {
    if (!(await isThere(go))) continue
    if (await isThere(join(packages, 'src/github.com/Masterminds/sprig'))) return { go, packages }
    return { missing: 'the Go package sprig is not installed (golang-github-masterminds-sprig-dev)' }
  }
  return { missing: 'Go is not installed' }
}

/** Gives the text of all manifests for each rendering, by its name. */
export async function renderChart({ go, packages }: { go: string; packages: string }): Promise<Record<string, string>> {
  const folder = await mkdtemp(join(tmpdir(), 'runyard-chart-'))
  try {
    const program = join(folder, 'render')
    const env = { ...process.env, GO111MODULE: 'off', GOPATH: packages, GOFLAGS: '', CGO_ENABLED: '0' }
    const options = { env: { GOCACHE: join(tmpdir(), 'runyard-go-cache'), ...env } }
    await promisify(execFile)(go, ['build', '-o', program, join(own, 'render.go')], options)
    const templates = await templateTexts()
    const usual = parse(await readChart('values.yaml')) as Values
    const { name, version, appVersion } = parse(await readChart('Chart.yaml')) as Record<string, string>
    const rendered: Record<string, string> = {}
    for (const [which, given] of Object.entries(renderings)) {
      const data = {
        Values: mergedValues(usual, given),
        Chart: { Name: name, Version: version, AppVersion: appVersion },
        Release: { Name: 'prod', Namespace: 'agents', Service: 'Helm' },
      }
      const texts = await runProgram(program, JSON.stringify({ templates, data }))
      const manifests = Object.entries(texts).filter(([file]) => file.endsWith('.yaml'))
      const parts = manifests.map(([file, text]) => `# ${file}\n${text.trim().replaceAll(/\s*\n/g, '\n')}\n`)
      rendered[which] = parts.toSorted().join('---\n')
    }
    return rendered
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function runProgram(program: string, input: string): Promise<Record<string, string>> {
  const running = promisify(execFile)(program)
  running.child.stdin?.end(input)
  return JSON.parse((await running).stdout) as Record<string, string>
}

export const renderedFile = (which: string): string => join(own, 'rendered', `${which}.yaml`)

export const headOf = (hash: string): string =>
  `# What deploy/helm/runyard becomes; written by server/test/deploy/writeRendered.ts from ${hash}.\n`
