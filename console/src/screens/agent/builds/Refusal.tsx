// What stands in the way of a promotion: why the service would refuse it, and the reason that overrules a closed gate.
import type { PromotionPreview } from '@runyard/sdk'
import { messageOf } from '../../../app/client.ts'
import { Field, Input, Problem } from '../../../parts/Field.tsx'
import style from './PromoteCard.module.css'

type Preview = PromotionPreview | undefined

/** Only a closed gate can be overruled. */
export const needsReason = (preview: Preview): boolean => preview?.refusal?.code === 'gate_not_met'

/** As a sentence; undefined: nothing. */
export function whyRefused(preview: Preview, reason: string): string | undefined {
  if (!needsReason(preview)) return preview?.refusal?.message
  return reason.trim() === '' ? 'The gate is closed. Say why it goes live all the same.' : undefined
}

interface RefusalProps {
  preview: Preview
  /** What the service said when it was tried. */
  error: Error | null
  reason: string
  onReason: (reason: string) => void
}

export function Refusal({ preview, error, reason, onReason }: RefusalProps) {
  const isClosed = needsReason(preview)
  const says = error ? messageOf(error) : isClosed ? undefined : preview?.refusal?.message
  return (
    <>
      {isClosed && (
        <div className={style.reason}>
          <Field label="Why it goes live all the same" hint="Stored with the promotion, for everybody to read.">
            <Input value={reason} maxLength={500} onChange={(event) => onReason(event.target.value)} />
          </Field>
        </div>
      )}
      {says !== undefined && (
        <div className={style.reason}>
          <Problem>{says}</Problem>
        </div>
      )}
    </>
  )
}
