// A person's decision on a suggestion: it becomes live past the gates, or is rejected with a reason.
import type { Suggestion } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../../app/client.ts'
import { useSession } from '../../../app/session.tsx'
import { Button } from '../../../parts/Button.tsx'
import { Field, Input } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { promotionPreviewQuery } from '../../../queries/agents.ts'
import { needsReason, Refusal, whyRefused } from '../builds/Refusal.tsx'
import form from '../FormCard.module.css'

const undecided = new Set<Suggestion['state']>(['drafting', 'replaying', 'open'])

export function Decision({ suggestion }: { suggestion: Suggestion }) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const { id, agent_id, draft_build_id, state, is_changed } = suggestion
  const preview = useQuery({ ...promotionPreviewQuery(agent_id, draft_build_id), enabled: state === 'open' })
  const [reason, setReason] = useState('')
  const [isRejecting, setRejecting] = useState(false)
  const accept = useMutation({
    mutationFn: () => runyard.suggestions.accept(id, needsReason(preview.data) ? { force_reason: reason } : {}),
    onSuccess: ({ build }) => toast(`Build ${build.revision_number} is live`),
    onSettled() {
      void queries.invalidateQueries({ queryKey: ['agent', agent_id] })
      void queries.invalidateQueries({ queryKey: ['agents'] })
    },
  })
  if (!undecided.has(state)) return null
  const cannot =
    unable('agents:write') ??
    (state === 'open' ? undefined : 'Its draft is not ready yet.') ??
    (is_changed ? 'The draft was changed after its replay. Promote it as any draft, or reject this.' : undefined) ??
    whyRefused(preview.data, reason)
  return (
    <>
      <Refusal preview={preview.data} error={accept.error} reason={reason} onReason={setReason} />
      <footer className={form.actions}>
        <Button kind="no" unable={unable('agents:write')} onClick={() => setRejecting(true)}>
          Reject…
        </Button>
        <Button kind="go" icon="up" isBusy={accept.isPending} unable={cannot} onClick={() => accept.mutate()}>
          Accept and promote
        </Button>
      </footer>
      {isRejecting && <Reject suggestion={suggestion} onClose={() => setRejecting(false)} />}
    </>
  )
}

function Reject({ suggestion: { id, agent_id }, onClose }: { suggestion: Suggestion; onClose: () => void }) {
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const reject = useMutation({
    mutationFn: () => runyard.suggestions.reject(id, { reason: reason.trim() }),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['agent', agent_id] })
      toast('The suggestion is rejected')
      onClose()
    },
  })
  return (
    <FormDialog
      title="Reject the suggestion"
      verb="Reject"
      width="narrow"
      onClose={onClose}
      isBusy={reject.isPending}
      error={reject.error}
      unable={reason.trim() === '' ? 'Say why.' : undefined}
      onSend={() => reject.mutate()}
    >
      <Field label="Why" hint="Stored with it. There is no other for this build and check.">
        <Input value={reason} maxLength={500} onChange={(event) => setReason(event.target.value)} />
      </Field>
    </FormDialog>
  )
}
