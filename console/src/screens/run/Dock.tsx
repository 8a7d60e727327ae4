// What stands below the timeline: the replay strip and the files. A run without either has none.
import type { GetRunAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../app/session.tsx'
import { isEnded } from '../../parts/Status.tsx'
import { runFilesQuery, runPicturesQuery } from '../../queries/run.ts'
import style from './Dock.module.css'
import { FileList } from './files/FileList.tsx'
import { Replay } from './replay/Replay.tsx'

export function Dock({ run }: { run: GetRunAnswer['run'] }) {
  const mayRead = useSession().unable('files:read') === undefined
  const pictures = useQuery({ ...runPicturesQuery(run.id), enabled: mayRead })
  const files = useQuery({ ...runFilesQuery(run.id), enabled: mayRead })
  const hasPictures = (pictures.data?.length ?? 0) > 0
  const hasFiles = (files.data?.length ?? 0) > 0
  if (!hasPictures && !hasFiles) return null
  return (
    <div className={style.dock} data-one={hasPictures && hasFiles ? undefined : ''}>
      {hasPictures && pictures.data && <Replay pictures={pictures.data} isActive={!isEnded(run.status)} />}
      {hasFiles && files.data && (
        <section className={style.files} aria-label="Files of the run">
          <header>
            <b>Files</b>
            <span className="dim small">{files.data.length}</span>
          </header>
          <FileList entries={files.data} />
        </section>
      )}
    </div>
  )
}
