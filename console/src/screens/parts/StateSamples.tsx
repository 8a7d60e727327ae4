// Loading, empty, failed, not allowed.
import { Button } from '../../parts/Button.tsx'
import { Empty, Failed, Skeleton } from '../../parts/states.tsx'
import { Sample } from './Sample.tsx'

export function StateSamples() {
  return (
    <>
      <Sample name="Loading">
        <Skeleton what="runs" rows={4} />
      </Sample>
      <Sample name="Empty">
        <Empty
          icon="runs"
          title="No runs yet"
          action={<Button kind="go">Start a run</Button>}
          command="npx runyard run AGENT --wait"
        >
          A run is one piece of work of an agent. It appears here as soon as it starts.
        </Empty>
      </Sample>
      <Sample name="Failed">
        <Failed error={new Error('The service did not answer within 60 seconds.')} onRetry={() => {}} />
      </Sample>
    </>
  )
}
