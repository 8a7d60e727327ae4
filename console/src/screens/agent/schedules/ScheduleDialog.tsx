// Makes or changes a schedule, and shows its next five times while one chooses: in its own zone and in the reader's.
import type { CreateScheduleInput, Schedule } from '@runyard/sdk'
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { messageOf, runyard } from '../../../app/client.ts'
import { localZone, useSetting, zoneOf } from '../../../app/settings.ts'
import { useSession } from '../../../app/session.tsx'
import { Field, Input, Select, TextArea } from '../../../parts/Field.tsx'
import { FormDialog } from '../../../parts/FormDialog.tsx'
import { toast } from '../../../parts/toasts.tsx'
import { schedulesQuery } from '../../../queries/agents.ts'
import style from './ScheduleDialog.module.css'
import { days, frequencies, inZone, needsOf, zones, type Frequency } from './timingWords.ts'

interface ScheduleDialogProps {
  agentId: string
  /** Undefined: a new one. */
  schedule: Schedule | undefined
  onClose: () => void
}

const overlaps = [
  { value: 'skip', label: 'Skip the new one' },
  { value: 'queue', label: 'Start it when the other has ended' },
  { value: 'allow', label: 'Start both' },
]
const catchUps = [
  { value: 'last', label: 'Start once for the latest' },
  { value: 'none', label: 'Start nothing' },
  { value: 'all', label: 'Start for each, 100 at most' },
]
const repeats = [
  { value: 'true', label: 'Again and again' },
  { value: 'false', label: 'Once, then it is off' },
]

export function ScheduleDialog({ agentId, schedule, onClose }: ScheduleDialogProps) {
  const queries = useQueryClient()
  const { unable } = useSession()
  const zoneList = useId()
  const [frequency, setFrequency] = useState<Frequency>(schedule?.frequency ?? 'workday')
  const [time, setTime] = useState(schedule?.time ?? '09:00')
  const [day, setDay] = useState<string>(schedule?.day ?? 'monday')
  const [dayOfMonth, setDayOfMonth] = useState(String(schedule?.day_of_month ?? 1))
  const [cron, setCron] = useState(schedule?.cron ?? '0 9 * * mon-fri')
  const [timezone, setTimezone] = useState(schedule?.timezone ?? localZone())
  const [message, setMessage] = useState(schedule?.message ?? '')
  const [recurring, setRecurring] = useState(String(schedule?.recurring ?? true))
  const [overlap, setOverlap] = useState<string>(schedule?.overlap ?? 'skip')
  const [catchUp, setCatchUp] = useState<string>(schedule?.catch_up ?? 'last')

  const needs = needsOf(frequency)
  const timing = {
    frequency,
    timezone: timezone.trim(),
    ...(needs.includes('time') && { time }),
    ...(needs.includes('day') && { day: day as NonNullable<Schedule['day']> }),
    ...(needs.includes('day_of_month') && { day_of_month: Number(dayOfMonth) }),
    ...(needs.includes('cron') && { cron }),
  }
  const preview = useQuery({
    queryKey: ['schedulePreview', timing],
    queryFn: ({ signal }) => runyard.schedules.previewTiming(timing, { signal }),
    placeholderData: keepPreviousData,
    gcTime: 0,
  })
  const save = useMutation({
    mutationFn: () => {
      const input: CreateScheduleInput = {
        ...timing,
        message: message.trim() === '' ? null : message,
        recurring: recurring === 'true',
        overlap: overlap as Schedule['overlap'],
        catch_up: catchUp as Schedule['catch_up'],
      }
      return schedule ? runyard.schedules.update(agentId, schedule.id, input) : runyard.schedules.create(agentId, input)
    },
    onSuccess() {
      void queries.invalidateQueries({ queryKey: schedulesQuery(agentId).queryKey })
      void queries.invalidateQueries({ queryKey: ['agentFigures'] })
      toast(schedule ? 'The schedule is changed' : 'The schedule is made')
      onClose()
    },
  })
  return (
    <FormDialog
      title={schedule ? 'Change the schedule' : 'New schedule'}
      onClose={onClose}
      verb={schedule ? 'Save' : 'Make it'}
      unable={unable('agents:write') ?? (preview.error ? 'These times cannot be used yet.' : undefined)}
      isBusy={save.isPending}
      error={save.error}
      onSend={() => save.mutate()}
    >
      <div className={style.row}>
        <Field label="How often">
          <Select
            options={frequencies}
            value={frequency}
            onChange={(event) => setFrequency(event.target.value as Frequency)}
          />
        </Field>
        {needs.includes('day') && (
          <Field label="Day">
            <Select
              options={days.map((value) => ({ value, label: value.slice(0, 1).toUpperCase() + value.slice(1) }))}
              value={day}
              onChange={(event) => setDay(event.target.value)}
            />
          </Field>
        )}
        {needs.includes('day_of_month') && (
          <Field label="Day of the month" hint="Where a month is shorter, its last day.">
            <Input
              type="number"
              min={1}
              max={31}
              value={dayOfMonth}
              onChange={(event) => setDayOfMonth(event.target.value)}
            />
          </Field>
        )}
        {needs.includes('time') && (
          <Field label="Time">
            <Input type="time" required value={time} onChange={(event) => setTime(event.target.value)} />
          </Field>
        )}
        {needs.includes('cron') && (
          <Field label="Cron expression" hint="Minute, hour, day of the month, month, day of the week.">
            <Input value={cron} maxLength={200} spellCheck={false} onChange={(event) => setCron(event.target.value)} />
          </Field>
        )}
        <Field label="Time zone">
          <Input
            list={zoneList}
            value={timezone}
            maxLength={64}
            spellCheck={false}
            onChange={(event) => setTimezone(event.target.value)}
          />
        </Field>
        <datalist id={zoneList}>
          {zones().map((zone) => (
            <option key={zone} value={zone}>
              {zone}
            </option>
          ))}
        </datalist>
      </div>
      <NextTimes preview={preview} />
      <Field label="Message of each run" hint="What the procedure reads as message: text, or JSON.">
        <TextArea rows={2} maxLength={65_536} value={message} onChange={(event) => setMessage(event.target.value)} />
      </Field>
      <div className={style.row}>
        <Field label="It starts">
          <Select options={repeats} value={recurring} onChange={(event) => setRecurring(event.target.value)} />
        </Field>
        <Field label="If the last run is still active">
          <Select options={overlaps} value={overlap} onChange={(event) => setOverlap(event.target.value)} />
        </Field>
        <Field label="If times were missed">
          <Select options={catchUps} value={catchUp} onChange={(event) => setCatchUp(event.target.value)} />
        </Field>
      </div>
    </FormDialog>
  )
}

interface Preview {
  data: { timezone: string; next_runs: string[] } | undefined
  error: unknown
}

function NextTimes({ preview: { data, error } }: { preview: Preview }) {
  const mine = zoneOf(useSetting('zone'))
  if (error)
    return (
      <p className={style.wrong} role="alert">
        {messageOf(error)}
      </p>
    )
  const isTwo = data !== undefined && data.timezone !== mine
  return (
    <table className={style.times} aria-live="polite">
      <caption>The next five starts</caption>
      <thead>
        <tr>
          <th scope="col">{data?.timezone ?? ' '}</th>
          {isTwo && <th scope="col">{mine}, yours</th>}
        </tr>
      </thead>
      <tbody>
        {(data?.next_runs ?? Array.from({ length: 5 }, () => '')).map((at, n) => (
          <tr key={n}>
            <td>{at === '' ? '…' : inZone(at, data?.timezone ?? 'UTC')}</td>
            {isTwo && <td>{inZone(at, mine)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
