// The files of a run as the tree of files has them: each is shown in their tab.
import type { FilesPlace } from '../../../parts/files/FileTree.tsx'
import { runFilesQuery } from '../../../queries/run.ts'
import { useRunAddress } from '../address.ts'

export function useRunFiles(): FilesPlace {
  const { runId, search, linkTo } = useRunAddress()
  return {
    folderQuery: (path) => runFilesQuery(runId, path),
    linkTo: (path) => linkTo({ tab: 'files', file: path }),
    shown: search.tab === 'files' ? search.file : undefined,
  }
}
