// Buttons, links, tags and texts that copy.
import { Button, ButtonLink } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { CopyText } from '../../parts/CopyText.tsx'
import { Tag } from '../../parts/Tag.tsx'
import { Row, Sample } from './Sample.tsx'

export function ButtonSamples() {
  return (
    <>
      <Sample name="Kinds">
        <Row>
          <Button kind="go" icon="check" keys={['1']}>
            Approve
          </Button>
          <Button keys={['2']}>Reject…</Button>
          <Button kind="no" icon="stop">
            Stop
          </Button>
          <Button kind="quiet" icon="clock" keys={['H']}>
            Not now
          </Button>
          <Button icon="retry" aria-label="Retry" />
          <ButtonLink to="/" icon="overview">
            Overview
          </ButtonLink>
        </Row>
      </Sample>
      <Sample name="Cannot be pressed, busy">
        <Row>
          <Button kind="go" unable="Choose an answer first.">
            Send
          </Button>
          <Button unable="You need the scope runs:write for this.">Retry</Button>
          <Button kind="no" unable="The run has ended.">
            Stop
          </Button>
          <Button kind="quiet" unable="Nothing to undo.">
            Undo
          </Button>
          <Button kind="go" isBusy>
            Sending
          </Button>
          <Button isBusy>Saving</Button>
        </Row>
      </Sample>
      <Sample name="Tags">
        <Row>
          <Tag>build 12</Tag>
          <Tag tone="live">live</Tag>
          <Tag tone="wait">×2</Tag>
          <Tag tone="fail">2 issues</Tag>
          <Tag tone="pass">gate passed</Tag>
        </Row>
      </Sample>
      <Sample name="Copies">
        <Row>
          <CopyText text="01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f" what="run id" shown="01981c5e" />
          <CopyText text="npx runyard key create" what="command" />
          <CopyAs operation="startRun" input={{ agent_id: 'a', message: "it's" }} />
          <CopyAs isSmall operation="getRun" params={{ run_id: '01981c5e-7a40-7c8e-9d7a-4f5b6c7d8e9f' }} />
        </Row>
      </Sample>
    </>
  )
}
