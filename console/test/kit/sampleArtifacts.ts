// Artifacts as a team has them, for pictures: the built-in pages over the sample data, one of them public and with a chat.
import { setTimeout as pause } from 'node:timers/promises'
import type { Runyard } from '../../../sdk/src/index.ts'
import { pageOfRuns, untilPage } from './everyScreen.ts'

const pages = ['queue_ageing', 'agent_scorecard', 'cost_by_agent_and_model'] as const

/** The id of the one whose page is shown. Pictures are drawn in the background, so they are waited for. */
export async function makeSampleArtifacts(runyard: Runyard): Promise<string> {
  for (const template of pages) {
    const { artifact_id } = await runyard.artifacts.create({ message: 'Show it.', template })
    await untilPage(runyard, artifact_id, 1)
    await runyard.artifacts.update(artifact_id, { refresh_frequency: 'daily' })
  }
  const { artifact_id } = await runyard.artifacts.create({ message: pageOfRuns('Runs of the week') })
  await untilPage(runyard, artifact_id, 1)
  await runyard.artifacts.sendMessage(artifact_id, { message: weekPage })
  await untilPage(runyard, artifact_id, 2)
  await runyard.artifacts.update(artifact_id, { refresh_frequency: 'hourly' })
  await runyard.artifacts.publish(artifact_id, { visibility: 'team', permission: 'edit' })
  for (let tries = 0; tries < 100; tries += 1) {
    const { artifacts } = await runyard.artifacts.list({ limit: 20 }).page()
    if (artifacts.every(({ thumbnail_url }) => thumbnail_url !== null)) break
    await pause(300)
  }
  return artifact_id
}

const weekPage = `# Runs of the week

\`\`\`tool name=operations_runs id=runs
{"by": "day", "last": "7d"}
\`\`\`

\`\`\`tool name=operations_agents id=agents
{"last": "7d"}
\`\`\`

\`\`\`html
<div class="cards">
<big-number value="{{ data.runs.totals.runs }}" before="{{ data.runs.before.runs }}" label="Runs"></big-number>
<big-number value="{{ data.runs.totals.failed }}" before="{{ data.runs.before.failed }}" label="Failed" good="down"></big-number>
<big-number value="{{ data.runs.totals.completed }}" label="Completed"></big-number>
</div>
<bar-chart title="Runs by day" rows="{{ data.runs.rows }}" x="day" stacked="true"
  y="completed: Completed, failed: Failed, active: Not ended yet" colors="teal, red, blue"></bar-chart>
<data-table title="Agents" rows="{{ data.agents.rows }}" columns="agent: Agent, runs: Runs, failed: Failed" limit="8"></data-table>
\`\`\`
`
