// Shows the tour while somebody takes it, and offers it in the palette.
import { lazy, Suspense } from 'react'
import { useCommands } from './commands.ts'
import { startTour, useTourStop } from './tour.ts'

const Tour = lazy(() => import('./Tour.tsx'))

export function TourHost() {
  const stop = useTourStop()
  useCommands([{ id: 'tour', label: 'Take the tour', icon: 'info', words: 'help guide newcomer demo', run: startTour }])
  return <Suspense>{stop && <Tour stop={stop} />}</Suspense>
}
