// runyard runs show: one run as it is, with its steps.
import type { Report, Run } from '../../../sdk/src/index.ts'
import { command } from '../command.ts'
import { jsonText } from '../output.ts'
import { padTo } from '../screenWidth.ts'
import { durationOf, tookText } from '../times.ts'

export const runsShow = command({
  words: 'runs show',
  positionals: ['ID'],
  needs: 'service',
  endsWithReader: true,
  says: 'Show a run: its state, input, output, steps and usage.',
  examples: [
    'runyard runs show 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55',
    'runyard runs show 0199a1f2-7c30-7f4e-8a7b-2f6f0c1d9e55 --json | jq .output',
  ],
  async run({ positionals: [id = ''], out, service }) {
    const runyard = await service()
    const { run } = await runyard.runs.get(id)
    if (out.isJson) return out.record(run, () => [])
    const { report } = await runyard.runs.report(run.agent_id, run.id)
    out.record(run, () => [...factLines(run), ...stepLines(report), ...valueLines(run)])
  },
})

function factLines(run: Run): string[] {
  const { steps, input_tokens, output_tokens, cost_usd } = run.usage
  const facts: [string, string | null][] = [
    ['Run', run.id],
    ['Title', run.title],
    ['Agent', `${run.agent_name} (${run.agent_id})`],
    ['Status', run.status + (run.waiting_on ? `, on ${run.waiting_on.kind} since ${run.waiting_on.since}` : '')],
    ['Created', `${run.created_at} (${run.source})`],
    ['Took', durationOf(run.started_at, run.completed_at) || null],
    ['Used', `${steps} steps, ${input_tokens} tokens in, ${output_tokens} out, $${cost_usd}`],
    ['Error', run.error && `${run.error.code}: ${run.error.message}`],
  ]
  return facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(9)}${value}`]))
}

function stepLines({ steps, steps_total }: Report): string[] {
  if (steps.length === 0) return []
  const width = Math.min(30, Math.max(...steps.map(({ title }) => title.length)))
  return [
    '',
    steps_total > steps.length ? `Steps (the last ${steps.length} of ${steps_total})` : 'Steps',
    ...steps.map(({ seq, title, status, duration_ms, error }) => {
      const took = duration_ms === null ? '' : tookText(duration_ms)
      return `${String(seq).padStart(4)}  ${padTo(title, width)}  ${status.padEnd(8)}${took.padStart(6)}${error ? `  ${error}` : ''}`
    }),
  ]
}

const valueLines = ({ message, output }: Run): string[] => [...shown('Input', message), ...shown('Output', output)]

const shown = (name: string, value: unknown): string[] =>
  value === null ? [] : ['', name, typeof value === 'string' ? value : jsonText(value, 2)]
