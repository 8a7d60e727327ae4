// Two texts of one procedure, in a dialog.
import { Dialog } from '../../../parts/Dialog.tsx'
import { Diff } from '../../../parts/Diff.tsx'

interface TwoTextsProps {
  title: string
  before: string
  after: string
  onClose: () => void
}

export function TwoTexts({ title, before, after, onClose }: TwoTextsProps) {
  return (
    <Dialog isOpen onClose={onClose} title={title} width="wide">
      <Diff before={before} after={after} language="markdown" label={title} mode="split" />
    </Dialog>
  )
}
