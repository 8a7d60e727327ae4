// Writes a message to the run without leaving what one looks at.
import type { GetRunAnswer } from '@runyard/sdk'
import { Dialog } from '../../../parts/Dialog.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { Composer } from './Composer.tsx'

export function MessageDialog({ run, onClose }: { run: GetRunAnswer['run']; onClose: () => void }) {
  const onSent = () => {
    toast('The message is sent')
    onClose()
  }
  return (
    <Dialog isOpen onClose={onClose} title={`Message to run ${run.run_number}`}>
      <Composer run={run} onSent={onSent} />
    </Dialog>
  )
}
