// Offers the tour to whoever has not answered yet, while there is a demo to show.
import { useQuery } from '@tanstack/react-query'
import { startTour, useEndTour, useTourStop } from '../../app/tour.ts'
import { Button } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { useDemoAgent } from '../../queries/demo.ts'
import { preferencesQuery } from '../../queries/notifications.ts'
import style from './TourOffer.module.css'

export function TourOffer() {
  const end = useEndTour()
  const stop = useTourStop()
  const { isThere } = useDemoAgent()
  const { data: preferences } = useQuery({ ...preferencesQuery, enabled: isThere === true })
  if (stop !== undefined || !isThere || preferences?.tour !== 'new') return null
  return (
    <Card title="New here?">
      <div className={style.offer}>
        <p>A tour of five screens, with the demo agent. It takes a minute.</p>
        <div>
          <Button kind="go" onClick={startTour}>
            Take the tour
          </Button>
          <Button kind="quiet" onClick={() => end('skipped')}>
            Not now
          </Button>
        </div>
      </div>
    </Card>
  )
}
