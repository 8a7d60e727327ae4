// Prometheus itself judges the alerts: that they are valid, and that they are raised exactly when they should be.
import { execFile, spawnSync } from 'node:child_process'
import { promisify } from 'node:util'
import { proves } from '../kit/proves.ts'
import { caseFiles, monitoring } from './rules.ts'

const promtool = process.env['RUNYARD_TEST_PROMTOOL'] ?? 'promtool'
const needsPromtool = {
  skip:
    spawnSync(promtool, ['--version']).status === 0
      ? (false as const)
      : 'promtool is not installed (Debian: prometheus)',
}
const run = (...words: string[]) => promisify(execFile)(promtool, words, { cwd: monitoring })

proves('monitoring.rules', 'promtool finds nothing wrong with the alerts', needsPromtool, async () => {
  await run('check', 'rules', 'alerts.yaml')
  await run('check', 'config', 'prometheus.yaml')
})

proves('monitoring.rules', 'each alert is raised when it should be and not before', needsPromtool, async () => {
  await run('test', 'rules', ...caseFiles)
})
