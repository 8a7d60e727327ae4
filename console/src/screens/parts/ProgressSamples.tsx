// Long work in all its states.
import { Button } from '../../parts/Button.tsx'
import { Progress } from '../../parts/Progress.tsx'
import { Sample } from './Sample.tsx'

export function ProgressSamples() {
  return (
    <>
      <Sample name="Running">
        <Progress title="Stopping runs" state="running" done={136} total={212} perSecond={14} leftMs={5400}>
          <Button icon="stop">Stop</Button>
        </Progress>
      </Sample>
      <Sample name="Nobody knows how many">
        <Progress title="Writing CSV" state="running" done={4100} total={undefined} perSecond={220}>
          <Button icon="stop">Stop</Button>
        </Progress>
      </Sample>
      <Sample name="Waiting for the service, with failures">
        <Progress
          title="Starting runs again"
          state="running"
          done={30}
          failed={2}
          total={212}
          waits="The service cannot be reached. It is tried again."
        >
          <Button kind="quiet">What failed</Button>
          <Button icon="stop">Stop</Button>
        </Progress>
      </Sample>
      <Sample name="Stopped, done, done with failures">
        <Progress title="Deleting runs" state="stopped" done={60} total={212}>
          <Button icon="play">Go on</Button>
        </Progress>
        <Progress title="212 runs stopped" state="ended" done={212} total={212} />
        <Progress title="210 runs stopped" state="ended" done={210} failed={2} total={212}>
          <Button kind="quiet">What failed</Button>
        </Progress>
      </Sample>
    </>
  )
}
