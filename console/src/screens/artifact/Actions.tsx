// What one does with an artifact: refresh, share, export, and what a menu has.
import type { Artifact, FileAnswer } from '@runyard/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { runyard } from '../../app/client.ts'
import { useCommands } from '../../app/commands.ts'
import { useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { Button } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Confirm } from '../../parts/Dialog.tsx'
import { saveBlob } from '../../parts/files/saveFile.ts'
import { Menu } from '../../parts/Menu.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { visible } from '../../parts/visibleText.ts'
import { isWorking } from '../../queries/artifacts.ts'
import { titleOf, visibilityNames } from '../artifacts/artifactWords.ts'
import style from './ArtifactScreen.module.css'
import { EditArtifact } from './EditArtifact.tsx'
import { notCreator, notEditor } from './rights.ts'
import { ShareDialog } from './ShareDialog.tsx'

interface ActionsProps {
  artifact: Artifact
  isCreator: boolean
  canEdit: boolean
}

type Format = 'html' | 'pdf' | 'csv' | 'xlsx' | 'md'
const formats: Record<Format, { name: string; read: (id: string) => Promise<FileAnswer> }> = {
  html: { name: 'HTML, one file', read: (id) => runyard.artifacts.exportHtml(id) },
  pdf: { name: 'PDF', read: (id) => runyard.artifacts.exportPdf(id) },
  csv: { name: 'CSV, its tables', read: (id) => runyard.artifacts.exportCsv(id) },
  xlsx: { name: 'Excel, its tables', read: (id) => runyard.artifacts.exportXlsx(id) },
  md: { name: 'Markdown', read: (id) => runyard.artifacts.exportMd(id) },
}

export function Actions({ artifact, isCreator, canEdit }: ActionsProps) {
  const { unable } = useSession()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [dialog, setDialog] = useState<'share' | 'edit' | 'delete'>()
  const close = () => setDialog(undefined)
  const name = visible(titleOf(artifact))
  const changed = () => queries.invalidateQueries({ queryKey: ['artifact', artifact.id] })
  const refresh = useMutation({
    mutationFn: () => runyard.artifacts.refresh(artifact.id),
    onSuccess: changed,
    onError: (error) => toastError('The page is not refreshed', error),
  })
  const save = useMutation({
    mutationFn: (format: Format) => formats[format].read(artifact.id),
    onSuccess: ({ blob, name: fileName }, format) => saveBlob(blob, fileName ?? `${titleOf(artifact)}.${format}`),
    onError: (error) => toastError('The page was not exported', error),
  })
  const duplicate = useMutation({
    mutationFn: () => runyard.artifacts.duplicate(artifact.id),
    onSuccess({ artifact_id }) {
      void queries.invalidateQueries({ queryKey: ['artifacts'] })
      toast('This is the copy. It is yours and private.')
      void navigate({ to: '/artifacts/$artifactId', params: { artifactId: artifact_id } })
    },
    onError: (error) => toastError('The artifact was not copied', error),
  })
  const remove = useMutation({
    mutationFn: () => runyard.artifacts.delete(artifact.id),
    onSuccess() {
      void queries.invalidateQueries({ queryKey: ['artifacts'] })
      toast(`Deleted “${name}”`)
      void navigate({ to: '/artifacts' })
    },
    onError: (error) => toastError(`“${name}” was not deleted`, error),
  })
  const mayNot = unable('artifacts:write')
  const noPage = artifact.html_code_present ? undefined : 'There is no page yet.'
  const cannotRefresh =
    mayNot ??
    notEditor(canEdit) ??
    noPage ??
    (isWorking(artifact) ? 'Something works on the artifact. Wait until it is done, or stop it.' : undefined)
  const refreshNow = () => {
    if (cannotRefresh === undefined && !refresh.isPending) refresh.mutate()
  }
  useKeys([{ keys: 'f', says: 'Refresh the page now', where: 'Artifact', run: refreshNow }])
  useCommands([
    { id: 'refresh-artifact', label: `Refresh ${name}`, icon: 'retry', unable: cannotRefresh, run: refreshNow },
    { id: 'share-artifact', label: `Share ${name}`, icon: 'share', run: () => setDialog('share') },
  ])
  const mine = mayNot ?? notCreator(isCreator)
  return (
    <>
      <span className={style.wide}>
        <CopyAs operation="getArtifact" params={{ artifactId: artifact.id }} />
      </span>
      <Button
        icon="retry"
        keys={['F']}
        unable={cannotRefresh}
        isBusy={refresh.isPending}
        aria-label="Refresh"
        onClick={refreshNow}
      >
        <span className={style.wide}>Refresh</span>
      </Button>
      <Button
        icon={artifact.visibility === 'private' ? 'lock' : 'share'}
        aria-label={`Share, now ${visibilityNames[artifact.visibility]}`}
        onClick={() => setDialog('share')}
      >
        <span className={style.wide}>{visibilityNames[artifact.visibility]}</span>
      </Button>
      <Menu
        label="Export"
        trigger={
          <Button icon="download" isBusy={save.isPending} aria-label="Export">
            <span className={style.wide}>Export</span>
          </Button>
        }
        items={Object.entries(formats).map(([format, { name: label }]) => ({
          label,
          unable: noPage,
          onSelect: () => save.mutate(format as Format),
        }))}
      />
      <Menu
        label="Artifact"
        trigger={<Button kind="quiet" icon="more" aria-label="More" />}
        items={[
          { label: 'Title and refreshes…', icon: 'edit', unable: mine, onSelect: () => setDialog('edit') },
          { label: 'Duplicate', icon: 'copy', unable: mayNot, onSelect: () => duplicate.mutate() },
          { label: 'Delete…', icon: 'trash', unable: mine, onSelect: () => setDialog('delete') },
        ]}
      />
      {dialog === 'share' && <ShareDialog artifact={artifact} isCreator={isCreator} onClose={close} />}
      {dialog === 'edit' && <EditArtifact artifact={artifact} onClose={close} />}
      {dialog === 'delete' && (
        <Confirm
          isOpen
          onClose={close}
          title={`Delete the artifact “${name}”?`}
          verb="Delete"
          isBusy={remove.isPending}
          onConfirm={() => remove.mutate()}
        >
          Its page, its revisions and its chat are gone, and this cannot be undone. A public link stops working.
        </Confirm>
      )}
    </>
  )
}
