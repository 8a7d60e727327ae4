// What stands below the timeline: the replay strip and the files. A run without either has none.
import type { GetRunAnswer } from '@runyard/sdk'
import { useQuery } from '@tanstack/react-query'
import { useSession } from '../../app/session.tsx'
import { count } from '../../parts/amounts.ts'
import { FileTree } from '../../parts/files/FileTree.tsx'
import { isEnded } from '../../parts/Status.tsx'
import { runAroundQuery, runFilesQuery, runPicturesQuery } from '../../queries/run.ts'
import style from './Dock.module.css'
import { useRunFiles } from './files/useRunFiles.ts'
import { Replay } from './replay/Replay.tsx'

/** All of them, as the tab says: those in folders too. */
function FileCount({ run }: { run: GetRunAnswer['run'] }) {
  const { data } = useQuery(runAroundQuery(run))
  return data && <span className="dim small">{count(data.files_total)}</span>
}

export function Dock({ run }: { run: GetRunAnswer['run'] }) {
  const mayRead = useSession().unable('files:read') === undefined
  const place = useRunFiles()
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
            <FileCount run={run} />
          </header>
          <FileTree entries={files.data} place={place} />
        </section>
      )}
    </div>
  )
}
