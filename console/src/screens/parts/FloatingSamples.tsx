// What floats above the page: menus, dialogs, tooltips, toasts. They have the theme of the whole page.
import { useState } from 'react'
import { Button } from '../../parts/Button.tsx'
import { Confirm, Dialog } from '../../parts/Dialog.tsx'
import { Menu } from '../../parts/Menu.tsx'
import { toast, toastError } from '../../parts/toasts.tsx'
import { Tooltip } from '../../parts/Tooltip.tsx'
import { Row, Sample } from './Sample.tsx'

const refusal = new Error('The action shown is not the one that waits. Read the request again, then decide.')

export function FloatingSamples() {
  const [open, setOpen] = useState<'dialog' | 'confirm'>()
  return (
    <Sample name="Menu, dialog, question, tooltip, toasts">
      <Row>
        <Menu
          label="Actions"
          trigger={<Button icon="more">More</Button>}
          items={[
            { label: 'Retry', icon: 'retry', keys: 'R', onSelect: () => toast('Started again') },
            { label: 'Share', icon: 'share', onSelect: () => toast('Link copied') },
            { label: 'Newest first', isChecked: true, onSelect: () => {} },
            { label: 'Oldest first', isChecked: false, onSelect: () => {} },
            { label: 'Delete', icon: 'trash', unable: 'You need the scope agents:write for this.', onSelect: () => {} },
          ]}
        />
        <Button onClick={() => setOpen('dialog')}>Dialog</Button>
        <Button onClick={() => setOpen('confirm')}>Question</Button>
        <Tooltip says="Explains what this does, in a sentence.">
          <Button>Tooltip</Button>
        </Tooltip>
        <Button onClick={() => toast('Run 4182 was stopped', () => toast('It continues'))}>Toast</Button>
        <Button onClick={() => toastError('The answer was refused', refusal)}>Failed</Button>
      </Row>
      <Dialog
        isOpen={open === 'dialog'}
        onClose={() => setOpen(undefined)}
        title="Start a run"
        actions={<Button kind="go">Start</Button>}
      >
        Which agent, and with what message.
      </Dialog>
      <Confirm
        isOpen={open === 'confirm'}
        onClose={() => setOpen(undefined)}
        title="Delete the agent Refund desk?"
        verb="Delete"
        onConfirm={() => setOpen(undefined)}
      >
        Its 14 builds and its memory go with it. Its runs stay.
      </Confirm>
    </Sample>
  )
}
