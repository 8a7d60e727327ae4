// Who sees an artifact: its creator, the team, or everybody who has its link. A link that was taken back never works again.
import type { Artifact } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { classes } from '../../look/classes.ts'
import { CopyText } from '../../parts/CopyText.tsx'
import { FormDialog } from '../../parts/FormDialog.tsx'
import { toast } from '../../parts/toasts.tsx'
import choice from '../agents/NewAgent.module.css'
import style from './ArtifactScreen.module.css'
import { notCreator } from './rights.ts'

interface Sharing {
  name: string
  says: string
  visibility: Artifact['visibility']
  permission: Artifact['publish_permission']
}

const sharings: Sharing[] = [
  { name: 'Private', says: 'You alone see it.', visibility: 'private', permission: 'view' },
  { name: 'Team may view', says: 'The team sees it.', visibility: 'team', permission: 'view' },
  { name: 'Team may edit', says: 'The team sees it and changes it.', visibility: 'team', permission: 'edit' },
  {
    name: 'Public link',
    says: 'Also everybody who has the link, without signing in.',
    visibility: 'public',
    permission: 'view',
  },
]

const isNow = ({ visibility, permission }: Sharing, artifact: Artifact): boolean =>
  visibility === artifact.visibility && (visibility !== 'team' || permission === artifact.publish_permission)

interface ShareDialogProps {
  artifact: Artifact
  isCreator: boolean
  onClose: () => void
}

export function ShareDialog({ artifact, isCreator, onClose }: ShareDialogProps) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const now = sharings.findIndex((one) => isNow(one, artifact))
  const [at, setAt] = useState(now)
  const wanted = sharings[at]
  const save = useMutation({
    mutationFn: ({ visibility, permission }: Sharing) =>
      runyard.artifacts.publish(artifact.id, { visibility, permission }),
    onSuccess(_answer, { visibility }) {
      void queries.invalidateQueries({ queryKey: ['artifact', artifact.id] })
      void queries.invalidateQueries({ queryKey: ['artifacts'] })
      // the link is shown here, so the dialog stays
      if (visibility === 'public') return
      toast(artifact.visibility === 'public' ? 'Shared. The public link no longer works.' : 'Shared')
      onClose()
    },
  })
  const cannot =
    unable('artifacts:write') ?? notCreator(isCreator) ?? (at === now ? 'It is shared like this already.' : undefined)
  const endsLink = artifact.visibility === 'public' && wanted?.visibility !== 'public'
  return (
    <FormDialog
      title="Who sees it"
      onClose={onClose}
      verb={endsLink ? 'Unpublish' : wanted?.visibility === 'public' ? 'Publish' : 'Save'}
      unable={cannot}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => wanted && save.mutate(wanted)}
    >
      <fieldset className={choice.templates}>
        <legend>Shared with</legend>
        {sharings.map(({ name, says }, nth) => (
          <label key={name} className={classes(choice.choice, nth === at && choice.chosen)}>
            <input type="radio" name="sharing" checked={nth === at} onChange={() => setAt(nth)} />
            <b>{name}</b>
            <small>{says}</small>
          </label>
        ))}
      </fieldset>
      {artifact.public_url !== null && (
        <div className={style.link}>
          <b>Public link</b>
          <CopyText text={artifact.public_url} what="public link" />
        </div>
      )}
      {endsLink && (
        <p>The public link stops working, and never works again. If it becomes public later, it gets another one.</p>
      )}
      {wanted?.visibility === 'team' && wanted.permission === 'edit' && (
        <p>
          Its steps then act for everybody who has changed it, so a private connection is no longer used once somebody
          else has.
        </p>
      )}
    </FormDialog>
  )
}
