// Makes an earlier revision the current one. The later ones stay, so it can be taken back.
import type { Artifact, ArtifactRevision } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { runyard } from '../../app/client.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { isWorking } from '../../queries/artifacts.ts'
import { notEditor } from './rights.ts'

interface RestoreButtonProps {
  artifact: Artifact
  revision: ArtifactRevision
  canEdit: boolean
}

export function RestoreButton({ artifact, revision, canEdit }: RestoreButtonProps) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const before = artifact.current_revision_id
  const restore = useMutation({
    mutationFn: (revisionId: string) => runyard.artifacts.restoreRevision(artifact.id, revisionId),
    onSuccess({ current_version }, revisionId) {
      void queries.invalidateQueries({ queryKey: ['artifact', artifact.id] })
      void navigate({
        to: '/artifacts/$artifactId',
        params: { artifactId: artifact.id },
        search: { panel: 'revisions' },
      })
      const undo = revisionId === before || before === null ? undefined : () => restore.mutate(before)
      toast(`Revision ${current_version} is the current one`, undo)
    },
    onError: (error) => toastError('The revision was not restored', error),
  })
  const cannot =
    unable('artifacts:write') ??
    notEditor(canEdit) ??
    (isWorking(artifact) ? 'Something works on the artifact. Wait until it is done, or stop it.' : undefined)
  return (
    <Button icon="retry" unable={cannot} isBusy={restore.isPending} onClick={() => restore.mutate(revision.id)}>
      Restore
    </Button>
  )
}
