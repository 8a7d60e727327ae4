// The list without a run: because there is none yet, or because none fits the filters.
import { useSession } from '../../app/session.tsx'
import { openStartRun } from '../../app/startingRun.ts'
import { Button } from '../../parts/Button.tsx'
import { Empty } from '../../parts/states.tsx'

export function NoRuns({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  const { unable } = useSession()
  if (isFiltered)
    return (
      <Empty icon="filter" title="No run fits these filters" action={<Button onClick={onClear}>Clear filters</Button>}>
        There may be some with other words, another status or an earlier time.
      </Empty>
    )
  return (
    <Empty
      icon="runs"
      title="No run yet"
      command="npx runyard run AGENT --wait"
      action={
        <Button kind="go" icon="plus" unable={unable('runs:write')} onClick={() => openStartRun({})}>
          Start run
        </Button>
      }
    >
      A run is one piece of work of an agent. It is started by a person, a schedule, a case of a queue or a program, and
      everything it does can be read here.
    </Empty>
  )
}
