// The numbers behind a plot: stacks, a round top, and which times get a label. Times are milliseconds.

/** A round number not below the highest value, so that its half is readable too. */
export function roundTop(highest: number): number {
  if (!(highest > 0) || !Number.isFinite(highest)) return 1
  const magnitude = 10 ** Math.floor(Math.log10(highest))
  const step = [1, 1.4, 2, 3, 4, 5, 6, 8, 10].find((one) => one * magnitude >= highest * 0.999) ?? 10
  return Number((step * magnitude).toPrecision(3))
}

/** The values beside a plot. Of things that are counted, half a one is not written. */
export const scaleTicks = (top: number, isCount: boolean): number[] =>
  isCount && !Number.isInteger(top / 2) ? [0, top] : [0, top / 2, top]

/** The end of the last bucket as if it were whole: the one that is now has only begun. */
export function wholeEnd(starts: number[], end: number): number {
  const [before, last] = starts.slice(-2)
  return before === undefined || last === undefined ? end : Math.max(end, last + (last - before))
}

/** The height of each stack. */
export const stackTotals = (series: { values: number[] }[], length: number): number[] =>
  Array.from({ length }, (_, at) => series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0))

/** Which bucket a moment is in; the first or last one beside the plot. */
export function bucketAt(starts: number[], moment: number): number {
  let low = 0
  let high = starts.length - 1
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((starts[middle] ?? 0) <= moment) low = middle
    else high = middle - 1
  }
  return low
}

interface Label {
  at: number
  text: string
}

const minuteMs = 60_000
const steps = {
  minute: [1, 5, 10, 15, 30],
  hour: [1, 2, 3, 4, 6, 12, 24],
  day: [1, 2, 7, 14, 28],
}

/** Labels of as many buckets as there is room for, at even times of the zone. `room`: how many at most. */
export function timeLabels(starts: number[], zone: string, room: number): Label[] {
  const [first, second] = starts
  if (first === undefined) return []
  const stepMs = (second ?? first + 60 * minuteMs) - first
  const unit = stepMs < 60 * minuteMs ? 'minute' : stepMs < 20 * 60 * minuteMs ? 'hour' : 'day'
  const places = placesOf(starts, zone, unit)
  const every = steps[unit].find((step) => places.filter(({ order }) => order % step === 0).length <= room)
  // more than the largest step fits: by the hour, then by the day
  const chosen = places.filter(({ order }) => order % (every ?? 60) === 0)
  const shown =
    chosen.length <= room ? chosen : chosen.filter((_, at) => at % Math.ceil(chosen.length / Math.max(1, room)) === 0)
  return shown.map(({ at, text }) => ({ at, text }))
}

function placesOf(starts: number[], zone: string, unit: keyof typeof steps) {
  const clock = new Intl.DateTimeFormat('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
    timeZone: zone,
  })
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: zone })
  return starts.map((at, index) => {
    const time = clock.format(at)
    const [hours = 0, minutes = 0] = time.split(':').map(Number)
    const isDay = unit === 'day' || (time === '00:00' && index > 0)
    const order = unit === 'day' ? index : unit === 'hour' ? hours : hours * 60 + minutes
    return { at, text: isDay ? day.format(at) : time, order }
  })
}
