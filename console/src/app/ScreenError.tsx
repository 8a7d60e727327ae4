// What is shown where a screen broke: what happened, and two ways on. The rest of the page still works.
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router'
import { Failed } from '../parts/states.tsx'
import { Bar } from './Bar.tsx'

export function ScreenError({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  return (
    <>
      <Bar title="Something broke" />
      <Failed
        error={error}
        onRetry={() => {
          reset()
          void router.invalidate()
        }}
      />
    </>
  )
}
