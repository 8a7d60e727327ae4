// When mails come: the time of the digest, quiet hours, and the zone of both.
import type { NotificationChoices, UpdateNotificationsInput } from '@runyard/sdk'
import { useId, useState } from 'react'
import { localZone } from '../../app/settings.ts'
import { Button } from '../../parts/Button.tsx'
import { Card } from '../../parts/Card.tsx'
import { Field, Input } from '../../parts/Field.tsx'
import style from './NotificationsScreen.module.css'

interface TimesProps {
  choices: NotificationChoices
  onChange: (input: UpdateNotificationsInput) => void
}

/** What a person most often means when they switch quiet hours on. */
const usualQuiet = { quiet_from: '22:00', quiet_until: '07:00' }

export function Times({ choices, onChange }: TimesProps) {
  const formId = useId()
  const [digest, setDigest] = useState(choices.digest_time)
  const [zone, setZone] = useState(choices.time_zone)
  const [quiet, setQuiet] = useState({ quiet_from: choices.quiet_from, quiet_until: choices.quiet_until })
  const isQuiet = quiet.quiet_from !== null
  const next = { digest_time: digest, time_zone: zone.trim(), ...quiet }
  const isChanged = Object.entries(next).some(([name, value]) => choices[name as keyof typeof next] !== value)
  const isWhole = digest !== '' && zone.trim() !== '' && quiet.quiet_from !== '' && quiet.quiet_until !== ''
  return (
    <Card title="When mails come">
      <form
        id={formId}
        className={style.times}
        onSubmit={(event) => {
          event.preventDefault()
          if (isChanged && isWhole) onChange(next)
        }}
      >
        <Field label="Digest at">
          <Input type="time" value={digest} onChange={({ target }) => setDigest(target.value)} />
        </Field>
        <Field label="Time zone" hint={zone === localZone() ? undefined : `This browser is in ${localZone()}.`}>
          <Input value={zone} onChange={({ target }) => setZone(target.value)} />
        </Field>
        <label className={style.check}>
          <input
            type="checkbox"
            checked={isQuiet}
            onChange={({ target }) => setQuiet(target.checked ? usualQuiet : { quiet_from: null, quiet_until: null })}
          />
          Quiet hours: mails wait until they end
        </label>
        {isQuiet && (
          <>
            <Field label="Quiet from">
              <Input
                type="time"
                value={quiet.quiet_from ?? ''}
                onChange={({ target }) => setQuiet({ ...quiet, quiet_from: target.value })}
              />
            </Field>
            <Field label="Quiet until">
              <Input
                type="time"
                value={quiet.quiet_until ?? ''}
                onChange={({ target }) => setQuiet({ ...quiet, quiet_until: target.value })}
              />
            </Field>
          </>
        )}
        <div className={style.save}>
          <Button
            type="submit"
            kind="go"
            unable={isChanged ? (isWhole ? undefined : 'A time is missing.') : 'Nothing has changed.'}
          >
            Save times
          </Button>
        </div>
      </form>
    </Card>
  )
}
