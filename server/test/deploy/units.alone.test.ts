// The units for systemd: read as files everywhere, and judged by systemd itself where it is installed.
import assert from 'node:assert/strict'
import { execFile, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { proves } from '../kit/proves.ts'
import { repository } from './chart.ts'
import { isKnown, settingNames } from './settings.ts'

const folder = join(repository, 'deploy/systemd')
const units = ['runyard.service', 'runyard-api.service', 'runyard-worker@.service', 'runyard-sandbox-host.service']
const environments = ['runyard.env.example', 'sandbox-host.env.example']
const read = (file: string): Promise<string> => readFile(join(folder, file), 'utf8')
/** Every value of a key, which may stand there more than once. */
const valuesOf = (text: string, key: string): string[] =>
  [...text.matchAll(new RegExp(`^${key}=(.*)$`, 'gm'))].map(([, value = '']) => value)

const needsSystemd = {
  skip:
    spawnSync('systemd-analyze', ['--version']).status === 0 ? (false as const) : 'systemd-analyze is not installed',
}

proves('deploy.units', 'each unit is stopped by one SIGTERM and killed only after the drain time', async () => {
  const drain = Number(/^RUNYARD_DRAIN_S=(\d+)$/m.exec(await read('runyard.env.example'))?.[1])
  for (const file of units) {
    const text = await read(file)
    assert.deepEqual(valuesOf(text, 'KillMode'), ['mixed'], file)
    assert.deepEqual(valuesOf(text, 'KillSignal'), ['SIGTERM'], file)
    assert.ok(Number(valuesOf(text, 'TimeoutStopSec')[0]) >= drain + 2 + 5, file)
  }
})

proves('deploy.units', 'wrong settings end the restarts, and everything else is started again', async () => {
  for (const file of units) {
    const text = await read(file)
    assert.deepEqual(valuesOf(text, 'Restart'), ['always'], file)
    assert.deepEqual(valuesOf(text, 'RestartPreventExitStatus'), ['78'], file)
  }
})

proves('deploy.settings', 'every setting that the units make is one of the service', async () => {
  for (const file of units) {
    const names = valuesOf(await read(file), 'Environment').flatMap((line) =>
      [...line.matchAll(/([A-Z_]+)=/g)].map(([, name = '']) => name),
    )
    assert.ok(names.length > 2)
    for (const name of names) assert.ok(isKnown(name), `${name} in ${file}`)
  }
  for (const file of environments)
    for (const [, name = ''] of (await read(file)).matchAll(/^#?([A-Z_]+)=/gm)) assert.ok(settingNames.has(name), name)
})

proves('deploy.units', 'systemd finds nothing wrong with the units', needsSystemd, async () => {
  const place = await mkdtemp(join(tmpdir(), 'runyard-units-'))
  try {
    for (const file of units) {
      // it looks whether the program is there, and only an installation has it
      const text = (await read(file)).replaceAll('/usr/local/bin/runyard', process.execPath)
      await writeFile(join(place, file.replace('@', '@01')), text)
    }
    const files = units.map((file) => join(place, file.replace('@', '@01')))
    const { stdout, stderr } = await promisify(execFile)('systemd-analyze', ['verify', '--man=no', ...files])
    const about = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('runyard'))
    assert.deepEqual(about, [])
  } finally {
    await rm(place, { recursive: true, force: true })
  }
})

proves('deploy.units', 'systemd counts the exposure of each unit as low', needsSystemd, async () => {
  for (const [file, most] of [
    ['runyard.service', 3.5],
    ['runyard-api.service', 2.5],
    ['runyard-worker@.service', 3.5],
    ['runyard-sandbox-host.service', 3.5],
  ] as const) {
    const { stdout } = await promisify(execFile)('systemd-analyze', [
      'security',
      '--offline=true',
      '--no-pager',
      join(folder, file),
    ])
    const exposure = Number(/Overall exposure level for .*: ([\d.]+)/.exec(stdout)?.[1])
    assert.ok(exposure <= most, `${file}: ${exposure}`)
  }
})
