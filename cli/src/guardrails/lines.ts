// Guardrails in lines for people: the rules that there are, and the report of a dry run.
import type { GuardrailDryRun, GuardrailRules } from '../../../sdk/src/index.ts'

/** One line a rule that is set. */
export function ruleLines(rules: GuardrailRules): string[] {
  const lines: [name: string, value: string | null][] = [
    ['Always ask', listed(rules.always_ask)],
    ['Two people', listed(rules.two_person)],
    ['Allowed hosts', rules.allowed_hosts && (listed(rules.allowed_hosts) ?? 'none')],
    ['Allowed connections', rules.allowed_connections && (listed(rules.allowed_connections) ?? 'none')],
    ['Cost a day', rules.cost_usd_per_day === null ? null : `${rules.cost_usd_per_day} USD`],
    ['Runs a day', rules.runs_per_day === null ? null : String(rules.runs_per_day)],
    ['Outside calls a day', rules.outside_calls_per_day === null ? null : String(rules.outside_calls_per_day)],
    ...rules.quiet_hours.map(({ days, from, to }): [string, string] => [
      'Quiet hours',
      `${days.join(' ')} ${from} to ${to} (${rules.time_zone})`,
    ]),
  ]
  return lines.flatMap(([name, value]) => (value === null ? [] : [`  ${name.padEnd(20)} ${value}`]))
}

const listed = (values: readonly string[]): string | null => (values.length === 0 ? null : values.join(', '))

const ways = { refused: 'refused', asks: 'asks people', waits: 'waits' }

export function reportLines({ status, report }: GuardrailDryRun): string[] {
  if (status === 'failed' || report === null) return ['The dry run failed. Start it again.']
  const since = report.rows_since === null ? 'There were no runs.' : `Runs since ${report.rows_since}.`
  return [
    `${report.runs} runs with ${report.calls} calls were judged, and ${report.runs_stopped} runs would have been touched. ${since}`,
    ...(report.is_cut ? ['There are more runs than a dry run judges.'] : []),
    ...(report.runs_without_log > 0
      ? [`Of ${report.runs_without_log} runs the log is erased: only their number and their cost count.`]
      : []),
    ...report.rules.flatMap(({ rule, way, calls, runs, first }) => [
      `${rule}: ${ways[way]}, ${calls} times in ${runs} runs`,
      ...first
        .slice(0, shown)
        .map(
          ({ run_id, run_number, agent_name, step, tool }) =>
            `  run ${run_number} of ${agent_name} ${step === null ? 'would not have started' : `step ${step} ${tool ?? ''}`}  ${run_id}`,
        ),
    ]),
  ]
}

/** How many of each rule are shown; --json has the first 50. */
const shown = 5
