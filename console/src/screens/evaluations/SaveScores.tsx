// Saves the scores of an agent as CSV: by day, by check, or by build.
import { useQuery } from '@tanstack/react-query'
import { Button } from '../../parts/Button.tsx'
import { saveBlob } from '../../parts/files/saveFile.ts'
import { Menu } from '../../parts/Menu.tsx'
import { buildScoresQuery, buildsQuery } from '../../queries/agents.ts'
import { evalScoresQuery } from '../../queries/evaluations.ts'
import { csvBegin, csvLine } from '../runs/csv.ts'

type Line = Parameters<typeof csvLine>[0]

export function SaveScores({ agentId, since }: { agentId: string; since: string }) {
  const scores = useQuery(evalScoresQuery(agentId, since, undefined)).data
  const builds = useQuery(buildsQuery(agentId)).data?.builds
  const ofBuilds = useQuery(buildScoresQuery(agentId)).data
  const cannot = scores && builds && ofBuilds ? undefined : 'Nothing is loaded yet.'
  const save = (kind: string, lines: Line[]) =>
    saveBlob(
      new Blob([csvBegin + lines.map(csvLine).join('')], { type: 'text/csv' }),
      `scores-by-${kind}-${since.slice(0, 10)}.csv`,
    )
  const byDay = (): Line[] => [
    ['day', 'evaluated', 'with_issues'],
    ...(scores?.series.map(({ day, evaluated, with_issues }) => [day, evaluated, with_issues]) ?? []),
  ]
  const byCheck = (): Line[] => [
    ['flag', 'label', 'runs'],
    ...(scores?.flag_distribution.map(({ flag, label, count }) => [flag, label, count]) ?? []),
  ]
  const byBuild = (): Line[] => [
    ['build_id', 'revision_number', 'status', 'published_at', 'score', 'evaluated_runs'],
    ...(builds?.map(({ id, revision_number, status, published_at }) => {
      const found = ofBuilds?.find(({ build_id }) => build_id === id)
      return [id, revision_number, status, published_at, found?.score, found?.evaluated_runs]
    }) ?? []),
  ]
  return (
    <Menu
      label="CSV"
      trigger={<Button icon="download">CSV</Button>}
      items={[
        { label: 'By day', unable: cannot, onSelect: () => save('day', byDay()) },
        { label: 'By check', unable: cannot, onSelect: () => save('check', byCheck()) },
        { label: 'By build', unable: cannot, onSelect: () => save('build', byBuild()) },
      ]}
    />
  )
}
