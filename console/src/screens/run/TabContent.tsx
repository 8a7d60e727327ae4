// What the open tab shows.
import type { GetRunAnswer } from '@runyard/sdk'
import type { ReactNode } from 'react'
import { Compare } from './compare/Compare.tsx'
import { Dock } from './Dock.tsx'
import { Evaluation } from './evaluation/Evaluation.tsx'
import { Events } from './events/Events.tsx'
import { Files } from './files/Files.tsx'
import { Messages } from './messages/Messages.tsx'
import { Raw } from './raw/Raw.tsx'
import { Report } from './report/Report.tsx'
import type { RunTab } from './search.ts'
import { LiveWords } from './timeline/LiveWords.tsx'
import { Timeline } from './timeline/Timeline.tsx'
import type { useSteps } from './timeline/useSteps.ts'

interface TabContentProps {
  answer: GetRunAnswer
  tab: RunTab
  steps: ReturnType<typeof useSteps>
  /** Brings what is selected to the person who uses keys. */
  onOpenStep: () => void
}

export function TabContent({ answer, tab, steps, onOpenStep }: TabContentProps) {
  const { run } = answer
  const shown: Record<RunTab, () => ReactNode> = {
    timeline: () => (
      <>
        <Timeline
          run={run}
          steps={steps}
          foot={run.status === 'running' && <LiveWords runId={run.id} />}
          onOpen={onOpenStep}
        />
        <Dock run={run} />
      </>
    ),
    messages: () => <Messages run={run} />,
    report: () => <Report run={run} />,
    evaluation: () => <Evaluation run={run} />,
    events: () => <Events run={run} />,
    files: () => <Files run={run} />,
    compare: () => <Compare run={run} steps={steps} />,
    raw: () => <Raw answer={answer} />,
  }
  return shown[tab]()
}
