// What the address of a sandbox holds: the open tab, the file that is shown, and the folder that uploads go to.
import { chosen, oneOf, text, type RawSearch } from '../../app/search.ts'

export const readSandboxSearch = (raw: RawSearch) =>
  chosen({ tab: oneOf(['commands'], raw['tab']), file: text(raw['file']), folder: text(raw['folder']) })
