// The Helm chart: its committed renderings are fresh and safe, and its schema refuses values that would not work.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse, parseAllDocuments } from 'yaml'
import { checkAgainst } from '../../src/base/jsonSchema/jsonSchema.ts'
import { readConfig } from '../../src/base/config.ts'
import { runyardVersion } from '../../src/base/version.ts'
import { usualLimits } from '../../src/drivers/sandbox/sandbox.ts'
import { proves } from '../kit/proves.ts'
import {
  chartHash,
  headOf,
  mergedValues,
  readChart,
  renderedFile,
  renderings,
  repository,
  type Values,
} from './chart.ts'
import { settingNames } from './settings.ts'

interface Container {
  name: string
  image: string
  args?: string[]
  securityContext: Values
  env: { name: string; value?: string; valueFrom?: Values }[]
  envFrom: Values[]
  volumeMounts: { name: string; mountPath: string }[]
  resources?: { requests?: Record<string, string>; limits?: Record<string, string> }
  startupProbe?: Probe
  livenessProbe?: Probe
  readinessProbe?: Probe & { periodSeconds: number }
}

interface Probe {
  httpGet: { path: string; port: string }
}

interface Pod {
  securityContext: Values
  automountServiceAccountToken: boolean
  hostUsers?: boolean
  terminationGracePeriodSeconds?: number
  topologySpreadConstraints?: { topologyKey: string }[]
  containers: Container[]
  volumes: { name: string; emptyDir?: { sizeLimit?: string } }[]
}

interface Manifest {
  apiVersion: string
  kind: string
  metadata: { name: string; labels: Record<string, string>; annotations?: Record<string, string> }
  spec: {
    replicas?: number
    trafficDistribution?: string
    selector?: { matchLabels: Record<string, string> } & Record<string, unknown>
    template?: { metadata: { labels: Record<string, string> }; spec: Pod }
    maxUnavailable?: number
    scaleTargetRef?: { name: string }
    metrics?: { type: string; external?: { metric: { name: string } } }[]
  }
}

async function manifestsOf(which: string): Promise<Manifest[]> {
  const text = await readFile(renderedFile(which), 'utf8')
  return parseAllDocuments(text).map((document) => {
    assert.deepEqual(document.errors, [], which)
    const manifest = document.toJS() as Partial<Manifest> & Omit<Manifest, 'spec'>
    // an account has none
    return { ...manifest, spec: manifest.spec ?? {} }
  })
}

const least = await manifestsOf('least')
const everything = await manifestsOf('everything')
const all = [...least, ...everything]
const find = (manifests: Manifest[], kind: string, ending = ''): Manifest => {
  const found = manifests.filter((one) => one.kind === kind && one.metadata.name.endsWith(ending))
  assert.equal(found.length, 1, `${kind} ${ending}`)
  return found[0]!
}
const podsOf = (manifests: Manifest[]): Pod[] => manifests.flatMap(({ spec }) => spec.template?.spec ?? [])

proves('deploy.chart', 'the committed renderings follow from the chart as it is', async () => {
  const head = headOf(await chartHash())
  for (const which of Object.keys(renderings)) {
    const text = await readFile(renderedFile(which), 'utf8')
    assert.ok(text.startsWith(head), `${which} is stale: run server/test/deploy/writeRendered.ts, which needs Go`)
    assert.doesNotMatch(text, /<no value>|%!|map\[/)
  }
})

proves('deploy.chart', 'the chart has the version of the service', async () => {
  const { version, appVersion } = parse(await readChart('Chart.yaml')) as Record<string, string>
  assert.deepEqual([version, appVersion], [runyardVersion, runyardVersion])
})

proves('deploy.chart', 'with nothing but an image and a secret it makes API, workers, migrations and budgets', () => {
  assert.deepEqual(least.map(({ kind, metadata }) => `${kind} ${metadata.name}`).toSorted(), [
    'Deployment prod-runyard-api',
    'Deployment prod-runyard-worker',
    'Job prod-runyard-migrate',
    'PodDisruptionBudget prod-runyard-api',
    'PodDisruptionBudget prod-runyard-worker',
    'Service prod-runyard',
    'ServiceAccount prod-runyard',
  ])
  const job = find(least, 'Job')
  assert.equal(job.metadata.annotations?.['helm.sh/hook'], 'pre-install,pre-upgrade')
  assert.deepEqual(job.spec.template?.spec.containers[0]?.args, ['migrate'])
})

proves('deploy.chart', 'every container is without rights, whatever the values are', () => {
  const pods = podsOf(all)
  assert.equal(pods.length, 6)
  for (const pod of pods) {
    assert.equal(pod.automountServiceAccountToken, false)
    assert.equal(pod.securityContext['runAsNonRoot'], true)
    for (const { securityContext } of pod.containers) {
      assert.equal(securityContext['readOnlyRootFilesystem'], true)
      assert.equal(securityContext['allowPrivilegeEscalation'], false)
      assert.deepEqual(securityContext['capabilities'], { drop: ['ALL'] })
    }
  }
  for (const { securityContext } of podsOf(least))
    assert.deepEqual(securityContext['seccompProfile'], { type: 'RuntimeDefault' })
})

proves('deploy.chart', 'only workers with bubblewrap get user namespaces and an unmasked /proc', () => {
  const open = all.filter(({ spec }) => {
    const pod = spec.template?.spec
    return pod?.hostUsers === false || pod?.containers.some((one) => one.securityContext['procMount'] !== undefined)
  })
  assert.deepEqual(open, [find(everything, 'Deployment', '-worker')])
  const [{ env } = { env: [] }] = open[0]!.spec.template!.spec.containers
  assert.equal(env.find(({ name }) => name === 'RUNYARD_SANDBOX')?.value, 'bubblewrap')
})

proves('deploy.chart', 'a pod is killed only after the drain time of its process', () => {
  for (const manifest of all.filter(({ kind }) => kind === 'Deployment')) {
    const { terminationGracePeriodSeconds, containers } = manifest.spec.template!.spec
    const [{ env, readinessProbe } = mustBeThere()] = containers
    const numberOf = (wanted: string) => Number(env.find(({ name }) => name === wanted)?.value)
    const interval = numberOf('RUNYARD_READINESS_INTERVAL_MS') / 1000
    assert.equal(readinessProbe?.periodSeconds, interval)
    // main.ts gives work five seconds beyond the drain time
    assert.ok(terminationGracePeriodSeconds! >= numberOf('RUNYARD_DRAIN_S') + 2 * interval + 5)
  }
})

function mustBeThere(): never {
  throw new Error('a deployment has a container')
}

proves('deploy.chart', 'probes ask paths that the service has, and liveness does not depend on the database', () => {
  for (const { containers } of podsOf(all.filter(({ kind }) => kind === 'Deployment'))) {
    for (const { startupProbe, livenessProbe, readinessProbe } of containers) {
      assert.equal(startupProbe?.httpGet.path, '/healthz')
      assert.equal(livenessProbe?.httpGet.path, '/healthz')
      assert.equal(readinessProbe?.httpGet.path, '/readyz')
    }
  }
})

proves(
  'deploy.chart',
  'a process learns its zone from its pod, and requests may stay in the zone of their caller',
  () => {
    for (const { containers } of podsOf(all.filter(({ kind }) => kind === 'Deployment'))) {
      const zone = containers[0]?.env.find(({ name }) => name === 'RUNYARD_ZONE')
      assert.deepEqual(zone?.valueFrom, { fieldRef: { fieldPath: "metadata.labels['topology.kubernetes.io/zone']" } })
    }
    assert.equal(find(least, 'Service').spec.trafficDistribution, undefined)
    assert.equal(find(everything, 'Service').spec.trafficDistribution, 'PreferSameZone')
  },
)

const isMeant = (labels: Record<string, string>, wanted: Record<string, string>): boolean =>
  Object.entries(wanted).every(([key, value]) => labels[key] === value)

proves('deploy.chart', 'selectors find the pods that they mean, and those of no other part', () => {
  for (const manifests of [least, everything]) {
    const deployments = manifests.filter(({ kind }) => kind === 'Deployment')
    const labelsOf = (one: Manifest) => one.spec.template!.metadata.labels
    for (const one of [...deployments, ...manifests.filter(({ kind }) => kind === 'PodDisruptionBudget')]) {
      const wanted = one.spec.selector!.matchLabels
      const meant = deployments.filter((other) => isMeant(labelsOf(other), wanted))
      assert.deepEqual(
        meant.map(({ metadata }) => metadata.name),
        [one.metadata.name],
      )
    }
    const served = deployments.filter((one) =>
      isMeant(labelsOf(one), find(manifests, 'Service').spec.selector as unknown as Record<string, string>),
    )
    assert.deepEqual(
      served.map(({ metadata }) => metadata.name),
      ['prod-runyard-api'],
    )
  }
})

proves('deploy.chart', 'pods are spread over zones, and every folder that is written has a volume', () => {
  for (const { containers, volumes, topologySpreadConstraints } of podsOf(all)) {
    const names = new Set(volumes.map(({ name }) => name))
    for (const { volumeMounts } of containers) {
      for (const { name } of volumeMounts) assert.ok(names.has(name), name)
      const paths = new Set(volumeMounts.map(({ mountPath }) => mountPath))
      for (const path of ['/var/lib/runyard', '/tmp']) assert.ok(paths.has(path), path)
    }
    if (topologySpreadConstraints)
      assert.equal(topologySpreadConstraints[0]?.topologyKey, 'topology.kubernetes.io/zone')
  }
})

const dataOf = (manifests: Manifest[]) =>
  find(manifests, 'Deployment', '-worker').spec.template!.spec.volumes.find(({ name }) => name === 'data')?.emptyDir

proves('deploy.disk', 'a worker has room for all that commands may write, or no limit but the node’s', () => {
  const { sandboxShells, sandboxBytesMax } = readConfig({})
  const needed = sandboxShells * (sandboxBytesMax + usualLimits.diskBytesMax)
  assert.deepEqual(dataOf(least), {})
  assert.equal(dataOf(everything)?.sizeLimit, '60Gi')
  assert.ok(60 * 1024 ** 3 >= needed)
  assert.match(valuesText, new RegExp(`: ${needed / 1024 ** 3}Gi unless those are`))
  for (const manifests of [least, everything]) {
    const [worker = mustBeThere()] = find(manifests, 'Deployment', '-worker').spec.template!.spec.containers
    assert.ok(worker.resources?.requests?.['ephemeral-storage'])
    assert.equal(worker.resources.limits?.['ephemeral-storage'], undefined)
  }
})

proves(
  'deploy.metrics',
  'whoever follows the guide of Helm has metrics that need a token, and Prometheus has it',
  async () => {
    const guide = await readFile(join(repository, 'docs/guides/deploy.md'), 'utf8')
    const helm = guide.slice(guide.indexOf('\n## Helm'), guide.indexOf('\n## Commands of agents'))
    assert.match(helm, /create secret generic runyard[^`]*--from-literal=RUNYARD_METRICS_TOKEN=/)
    const values = parse(/```yaml\n(.*?)```/s.exec(helm)![1]!) as Values
    assert.deepEqual(values['podMonitor'], { tokenKey: 'RUNYARD_METRICS_TOKEN' })
    assert.ok(fits(values))
    assert.match(await readChart('templates/NOTES.txt'), /\/metrics[^]*RUNYARD_METRICS_TOKEN/)
  },
)

proves('deploy.settings', 'every setting that the chart makes is one of the service', () => {
  const names = podsOf(all).flatMap(({ containers }) => containers.flatMap(({ env }) => env.map(({ name }) => name)))
  assert.ok(names.length > 20)
  assert.deepEqual(
    names.filter((name) => !settingNames.has(name)),
    [],
  )
})

proves('deploy.chart', 'no manifest has a secret, and every process reads the one that was named', () => {
  for (const { containers } of podsOf(least))
    for (const { envFrom } of containers) assert.deepEqual(envFrom, [{ secretRef: { name: 'runyard' } }])
  assert.ok(!all.some(({ kind }) => kind === 'Secret'))
})

proves('deploy.chart', 'workers are scaled by how late runs start, by a metric that the adapter is given', async () => {
  const scaler = find(everything, 'HorizontalPodAutoscaler', '-worker')
  const names = scaler.spec.metrics?.map(({ external }) => external?.metric.name)
  assert.deepEqual(names, ['runyard_run_start_delay_seconds', 'runyard_run_seats_taken_percent'])
  assert.equal(find(everything, 'Deployment', '-worker').spec.replicas, undefined)
  const adapter = parse(await readFile(join(repository, 'deploy/helm/prometheus-adapter.yaml'), 'utf8')) as {
    rules: { external: { name: { as: string } }[] }
  }
  assert.deepEqual(
    adapter.rules.external.map(({ name }) => name.as),
    names,
  )
})

const schema = JSON.parse(await readChart('values.schema.json')) as Record<string, unknown>
const valuesText = await readChart('values.yaml')
const usual = parse(valuesText) as Values

function fits(given: Values): boolean {
  const check = checkAgainst(schema, mergedValues(usual, given))
  assert.ok(!('broken' in check), JSON.stringify(check))
  return 'fits' in check
}

proves('deploy.values', 'the schema takes what is rendered, and knows every value of values.yaml', () => {
  for (const given of Object.values(renderings)) assert.ok(fits(given))
  const { properties } = schema as {
    properties: Record<string, { properties?: Values; additionalProperties?: boolean }>
  }
  for (const [key, value] of Object.entries(usual)) {
    assert.ok(properties[key], key)
    const { properties: inner, additionalProperties } = properties[key]
    if (inner && additionalProperties === false && typeof value === 'object')
      for (const name of Object.keys(value ?? {})) assert.ok(name in inner, name)
  }
})

proves('deploy.values', 'the schema refuses what would not work', () => {
  const good = renderings['least']!
  const wrong: Values[] = [
    {},
    { ...good, existingSecret: '' },
    { ...good, replicaCount: 3 },
    { ...good, api: { replicas: -1 } },
    { ...good, config: { DATABASE_URL: 'postgres://…' } },
    { ...good, config: { RUNYARD_ROLE: 'all' } },
    { ...good, podSecurityContext: { runAsNonRoot: false } },
    { ...good, ingress: { enabled: true } },
    { ...good, drainSeconds: '60' },
    { ...good, workers: { spreadOverZones: 'Never' } },
    { ...good, workers: { dataSizeLimit: 'much' } },
    { ...good, service: { trafficDistribution: 'Nearest' } },
    { ...good, zoneLabel: "zone']" },
  ]
  for (const given of wrong) assert.ok(!fits(given), JSON.stringify(given))
})
