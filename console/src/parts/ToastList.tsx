// The messages at the edge of the page, as they are drawn.
import { Toast } from '@base-ui/react/toast'
import { useEffect } from 'react'
import { Icon } from '../look/Icon.tsx'
import { StatusShape } from '../look/StatusShape.tsx'
import { Button } from './Button.tsx'
import { taken, useMessages } from './toasts.tsx'
import { visible } from './visibleText.ts'
import style from './toasts.module.css'

interface More {
  undo?: () => void
  requestId?: string | undefined
}

const manager = Toast.createToastManager<More>()

/** Long enough to read it and to decide. */
const doneMs = 6000
const failedMs = 12_000

export default function ToastList() {
  const waiting = useMessages()
  useEffect(() => {
    for (const { title, says, isFailed, undo, requestId } of waiting)
      manager.add({
        // names of strangers are in them
        title: visible(title),
        ...(says !== undefined && { description: visible(says) }),
        ...(isFailed && { type: 'failed', priority: 'high' as const }),
        timeout: isFailed ? failedMs : doneMs,
        data: { ...(undo && { undo }), requestId },
      })
    const last = waiting.at(-1)
    if (last) taken(last.id)
  }, [waiting])
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport className={style.place}>
          <Rows />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  )
}

function Rows() {
  const { toasts, close } = Toast.useToastManager<More>()
  return toasts.map((one) => (
    <Toast.Root key={one.id} toast={one} className={style.toast} swipeDirection={['right']}>
      {one.type === 'failed' ? <StatusShape shape="failed" /> : <Icon name="check" />}
      <div className={style.text}>
        <Toast.Title className={style.title} />
        <Toast.Description className={style.says} />
        {one.data?.requestId && <span className="dim small">request {one.data.requestId}</span>}
      </div>
      {one.data?.undo && (
        <Button
          kind="quiet"
          onClick={() => {
            one.data?.undo?.()
            close(one.id)
          }}
        >
          Undo
        </Button>
      )}
      <Toast.Close className={style.close} aria-label="Close">
        <Icon name="cross" size={14} />
      </Toast.Close>
    </Toast.Root>
  ))
}
