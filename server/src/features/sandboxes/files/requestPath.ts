// The path that a caller asks for: a path that leads out of the workspace is answered like one that does not exist.
import { Fault } from '../../../base/errors.ts'
import { Type } from '../../../kit/schema.ts'
import { workspacePath, workspaceRoot } from '../workspace/workspacePath.ts'

/** The path of the file in all examples. */
export const examplePath = 'out/report.md'

const spelled = 'relative to /workspace or absolute below it'

// the format `path` leaves every character to askedPath, whose answer to a bad one is a 404
export const FilePath = Type.String({ format: 'path', description: `The file, ${spelled}.`, examples: [examplePath] })
export const RunFilePath = Type.String({
  format: 'path',
  description:
    `The file, ${spelled}. May be left out where the run has exactly one file; with more of them, or none, that is a 400 that ` +
    'lists them.',
  examples: [examplePath],
})
export const FolderPath = Type.String({
  format: 'path',
  description: `The folder, ${spelled}; absent: /workspace itself.`,
  examples: ['out'],
})

/** The same answer for every path that does not exist, so that nobody can distinguish the reasons. */
export const nothingThere = () =>
  new Fault(
    'not_found',
    `No file or folder of the workspace has this path. Write it ${spelled}; the list of files tells what is there.`,
  )

export function askedPath(text: string | undefined): string {
  const checked = workspacePath(text ?? workspaceRoot)
  if ('problem' in checked) throw nothingThere()
  return checked.path
}

/** For what can be done to a file, or a folder of the workspace, and not to the whole of it. */
export function askedPathBelow(text: string): string {
  const path = askedPath(text)
  if (path !== workspaceRoot) return path
  throw new Fault('invalid_request', `The path is the workspace itself. Name something in it, such as ${examplePath}.`)
}

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
