// Files of the team: uploaded here, and laid read-only into the sandboxes of agents.
import type { TeamFile } from '@runyard/sdk'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { runyard } from '../../../app/client.ts'
import { onThisOrigin, saveUrl } from '../../../parts/files/saveFile.ts'
import { Time } from '../../../parts/Time.tsx'
import { toastError } from '../../../parts/toasts.tsx'
import { visible } from '../../../parts/visibleText.ts'
import { filesQuery } from '../../../queries/given.ts'
import style from '../ConnectionsScreen.module.css'
import { bytes } from '../../../parts/amounts.ts'
import { FileDialog } from './FileDialog.tsx'
import { GivenList } from './GivenList.tsx'
import { RemoveGiven } from './RemoveGiven.tsx'
import { RowMenu } from './RowMenu.tsx'
import type { TabProps } from './tabProps.ts'

const route = getRouteApi('/frame/connections')

export function FilesTab({ add, unable, close }: TabProps) {
  const { search, edit, remove, new: making } = route.useSearch()
  const queries = useQueryClient()
  const files = useQuery(filesQuery(search === undefined ? {} : { search }))
  const find = (id: string | undefined) => files.data?.files.find((one) => one.id === id)
  const [edited, removed] = [find(edit), find(remove)]
  const download = useMutation({
    mutationFn: async ({ id, name }: TeamFile) => {
      const { download_url } = await runyard.teamFiles.get(id)
      saveUrl(onThisOrigin(download_url), name.split('/').at(-1) ?? 'file')
    },
    onError: (error) => toastError('The file could not be downloaded', error),
  })
  const row = (file: TeamFile): ReactNode => (
    <tr key={file.id}>
      <td>
        <span className={style.name}>{visible(file.name)}</span>
      </td>
      <td data-label="Size">{bytes(file.size_bytes)}</td>
      <td data-label="Changed">
        <Time at={file.updated_at} />
      </td>
      <RowMenu
        id={file.id}
        name={file.name}
        unable={unable}
        change="Rename…"
        more={[{ label: 'Download', icon: 'download', onSelect: () => download.mutate(file) }]}
      />
    </tr>
  )
  const saved = () => void queries.invalidateQueries({ queryKey: ['given', 'files'] })
  return (
    <>
      <GivenList
        kind="files"
        noun="file"
        operation="listTeamFiles"
        hint="Name"
        query={files}
        columns={['File', 'Size', 'Changed']}
        rows={(page) => page.files.map(row)}
        empty={{
          icon: 'file',
          title: 'There are no files',
          says: 'Files of the team are kept for its agents, who find those that their build names in /files of their sandbox.',
          action: add,
          command: 'runyard call listTeamFiles',
        }}
      />
      {making === 'file' && <FileDialog onClose={close} onSaved={saved} />}
      {edited && <FileDialog file={edited} onClose={close} onSaved={saved} />}
      {removed && <RemoveGiven kind="files" noun="file" one={removed} onClose={close} />}
    </>
  )
}
