// What a promotion changes, before it is made: lines, settings, what starts runs, and what stays as it is.
import type { Build, PromotionPreview } from '@runyard/sdk'
import type { ReactNode } from 'react'
import { Icon } from '../../../look/Icon.tsx'
import { counted } from '../../../parts/amounts.ts'
import { Time } from '../../../parts/Time.tsx'
import { readPatch } from './patch.ts'

interface PromotionFactsProps {
  build: Build
  former: Build | undefined
  preview: PromotionPreview
}

export function PromotionFacts({ build, former, preview }: PromotionFactsProps) {
  const { schedules, schedules_total, case_trigger, begins } = preview
  const next = schedules[0]?.next_run_at
  return (
    <>
      <Fact>{changeWords(preview, former)}</Fact>
      <Fact>New runs use build {build.revision_number} at once</Fact>
      {schedules_total > 0 && (
        <Fact>
          {counted(schedules_total, 'schedule')} will start it
          {next && (
            <>
              , first <Time at={next} />
            </>
          )}
        </Fact>
      )}
      {begins.map(({ id, title }) => (
        <Fact key={id}>Switches on: {title}</Fact>
      ))}
      {case_trigger && <Fact>New cases of {case_trigger.case_queue_name} will start it</Fact>}
    </>
  )
}

function changeWords({ diff }: PromotionPreview, former: Build | undefined): string {
  const { added, removed } = readPatch(diff.procedure)
  const changes = [
    added > 0 ? `adds ${counted(added, 'line')}` : undefined,
    removed > 0 ? `removes ${counted(removed, 'line')}` : undefined,
    diff.config.length > 0 ? `changes ${counted(diff.config.length, 'setting')}` : undefined,
  ].filter((words) => words !== undefined)
  const than = former ? `build ${former.revision_number}` : 'nothing'
  if (changes.length === 0) return `It does the same as ${than}`
  const [last, ...before] = changes.toReversed()
  const list = before.length > 0 ? `${before.toReversed().join(', ')} and ${last}` : last
  return `Compared with ${than}, it ${list}`
}

export const Fact = ({ children }: { children: ReactNode }) => (
  <li>
    <Icon name="check" size={14} />
    <span>{children}</span>
  </li>
)
