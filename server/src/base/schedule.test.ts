// When schedules are due: every frequency, and every way in which a clock on the wall can mislead.
import assert from 'node:assert/strict'
import { cronProblem } from './cron.ts'
import { latestDue, nextAfter, nextFive, type Timing } from './schedule.ts'
import { isTimezone } from './wallClock.ts'
import { proves } from '../../test/kit/proves.ts'

const nothing = { time: null, day: null, day_of_month: null, cron: null, timezone: 'UTC' }
const timing = (frequency: Timing['frequency'], rest: Partial<Timing> = {}): Timing => ({
  frequency,
  ...nothing,
  ...rest,
})
const daily = (time: string, timezone = 'UTC') => timing('daily', { time, timezone })
const monthly = (day_of_month: number, time = '09:00') => timing('monthly', { day_of_month, time })
const custom = (cron: string, timezone = 'UTC') => timing('custom', { cron, timezone })

/** Short for a time in UTC. */
const utc = (text: string): Date => new Date(`${text.replace(' ', 'T')}:00.000Z`)

type Case = [about: string, timing: Timing, after: string, due: string[]]

function check(cases: Case[]): void {
  for (const [about, wanted, after, expected] of cases) {
    const found: string[] = []
    let at: Date | null = utc(after)
    while (found.length < expected.length && (at = nextAfter(wanted, at))) found.push(at.toISOString())
    assert.deepEqual(
      found,
      expected.map((text) => utc(text).toISOString()),
      about,
    )
  }
}

proves('schedules.frequencies', 'each frequency is due at its times, and never at the instant it is asked from', () => {
  check([
    ['every 5 minutes', timing('every_5_minutes'), '2026-07-18 09:58', ['2026-07-18 10:00', '2026-07-18 10:05']],
    ['every 15 minutes', timing('every_15_minutes'), '2026-07-18 10:00', ['2026-07-18 10:15', '2026-07-18 10:30']],
    ['hourly', timing('hourly'), '2026-07-18 23:00', ['2026-07-19 00:00', '2026-07-19 01:00']],
    [
      'hourly where the wall is half an hour off',
      timing('hourly', { timezone: 'Asia/Kolkata' }),
      '2026-07-18 23:00',
      ['2026-07-18 23:30'],
    ],
    ['daily', daily('09:00'), '2026-07-18 09:00', ['2026-07-19 09:00', '2026-07-20 09:00']],
    ['daily elsewhere', daily('09:00', 'Asia/Kolkata'), '2026-07-18 00:00', ['2026-07-18 03:30', '2026-07-19 03:30']],
    [
      'workdays over a weekend: 17 July 2026 is a Friday',
      timing('workday', { time: '08:30' }),
      '2026-07-16 12:00',
      ['2026-07-17 08:30', '2026-07-20 08:30', '2026-07-21 08:30'],
    ],
    [
      'a workday by the calendar of its zone: Monday begins in Auckland on Sunday',
      timing('workday', { time: '07:00', timezone: 'Pacific/Auckland' }),
      '2026-07-17 20:00',
      ['2026-07-19 19:00'],
    ],
    [
      'weekly',
      timing('weekly', { day: 'sunday', time: '00:00' }),
      '2026-07-18 00:00',
      ['2026-07-19 00:00', '2026-07-26 00:00'],
    ],
  ])
})

proves('schedules.monthEnds', 'a day of the month that a month lacks is its last one, in leap years too', () => {
  check([
    ['the 31st', monthly(31), '2026-01-31 09:00', ['2026-02-28 09:00', '2026-03-31 09:00', '2026-04-30 09:00']],
    ['the 30th', monthly(30), '2026-01-30 09:00', ['2026-02-28 09:00', '2026-03-30 09:00', '2026-04-30 09:00']],
    ['the 29th', monthly(29), '2027-01-29 09:00', ['2027-02-28 09:00', '2027-03-29 09:00']],
    ['the 29th of a leap year', monthly(29), '2028-01-29 09:00', ['2028-02-29 09:00', '2028-03-29 09:00']],
    ['the 30th of a leap year', monthly(30), '2028-01-30 09:00', ['2028-02-29 09:00', '2028-03-30 09:00']],
    ['the 28th', monthly(28), '2028-01-28 09:00', ['2028-02-28 09:00', '2028-03-28 09:00']],
    ['over the end of a year', monthly(31), '2026-11-30 09:00', ['2026-12-31 09:00', '2027-01-31 09:00']],
    ['29 February', custom('0 0 29 2 *'), '2026-01-01 00:00', ['2028-02-29 00:00', '2032-02-29 00:00']],
    ['29 February around 2100', custom('0 0 29 feb *'), '2096-03-01 00:00', ['2104-02-29 00:00']],
  ])
})

proves('schedules.gap', 'a time that daylight saving skips is due at the next valid instant, once', () => {
  check([
    ['Berlin', daily('02:30', 'Europe/Berlin'), '2026-03-28 12:00', ['2026-03-29 01:00', '2026-03-30 00:30']],
    ['New York', daily('02:30', 'America/New_York'), '2026-03-07 12:00', ['2026-03-08 07:00', '2026-03-09 06:30']],
    [
      'Lord Howe, half an hour',
      daily('02:15', 'Australia/Lord_Howe'),
      '2026-10-03 00:00',
      ['2026-10-03 15:30', '2026-10-04 15:15'],
    ],
    [
      'Cairo, at midnight',
      daily('00:30', 'Africa/Cairo'),
      '2026-04-23 12:00',
      ['2026-04-23 22:00', '2026-04-24 21:30'],
    ],
    [
      'Kolkata skips nothing',
      daily('02:30', 'Asia/Kolkata'),
      '2026-03-28 12:00',
      ['2026-03-28 21:00', '2026-03-29 21:00'],
    ],
    [
      'four skipped times are one',
      custom('*/15 2 * * *', 'Europe/Berlin'),
      '2026-03-28 12:00',
      ['2026-03-29 01:00', '2026-03-30 00:00'],
    ],
    [
      'a skipped time and the one it falls on are one',
      custom('0 2,3 * * *', 'Europe/Berlin'),
      '2026-03-28 12:00',
      ['2026-03-29 01:00', '2026-03-30 00:00'],
    ],
    [
      'the edges of the gap are no part of it',
      daily('03:00', 'Europe/Berlin'),
      '2026-03-28 12:00',
      ['2026-03-29 01:00'],
    ],
    [
      'weekly',
      timing('weekly', { day: 'sunday', time: '02:00', timezone: 'Europe/Berlin' }),
      '2026-03-23 00:00',
      ['2026-03-29 01:00', '2026-04-05 00:00'],
    ],
  ])
})

proves('schedules.overlap', 'a time that occurs twice is due once, when it occurs first', () => {
  check([
    ['Berlin', daily('02:30', 'Europe/Berlin'), '2026-10-24 12:00', ['2026-10-25 00:30', '2026-10-26 01:30']],
    ['asked between the two', daily('02:30', 'Europe/Berlin'), '2026-10-25 00:45', ['2026-10-26 01:30']],
    ['asked in the second pass', daily('02:30', 'Europe/Berlin'), '2026-10-25 01:15', ['2026-10-26 01:30']],
    ['New York', daily('01:30', 'America/New_York'), '2026-10-31 12:00', ['2026-11-01 05:30', '2026-11-02 06:30']],
    [
      'Lord Howe, half an hour',
      daily('01:45', 'Australia/Lord_Howe'),
      '2026-04-04 00:00',
      ['2026-04-04 14:45', '2026-04-05 15:15'],
    ],
    [
      'Cairo, before midnight',
      daily('23:30', 'Africa/Cairo'),
      '2026-10-29 00:00',
      ['2026-10-29 20:30', '2026-10-30 21:30'],
    ],
    [
      'Kolkata repeats nothing',
      daily('01:30', 'Asia/Kolkata'),
      '2026-10-24 12:00',
      ['2026-10-24 20:00', '2026-10-25 20:00'],
    ],
    [
      'an hour named by cron',
      custom('*/30 2 * * *', 'Europe/Berlin'),
      '2026-10-24 12:00',
      ['2026-10-25 00:00', '2026-10-25 00:30', '2026-10-26 01:00'],
    ],
    ['the end of the overlap', daily('03:00', 'Europe/Berlin'), '2026-10-24 12:00', ['2026-10-25 02:00']],
  ])
})

proves(
  'schedules.everyHour',
  'what names no hour goes by the time that passes, through both passes of an hour and over a skipped one',
  () => {
    const berlin = 'Europe/Berlin'
    check([
      [
        'hourly, back',
        timing('hourly', { timezone: berlin }),
        '2026-10-24 23:30',
        ['2026-10-25 00:00', '2026-10-25 01:00', '2026-10-25 02:00'],
      ],
      [
        'hourly, forward',
        timing('hourly', { timezone: berlin }),
        '2026-03-29 00:00',
        ['2026-03-29 01:00', '2026-03-29 02:00'],
      ],
      [
        'every 15 minutes, back',
        timing('every_15_minutes', { timezone: berlin }),
        '2026-10-25 00:40',
        ['2026-10-25 00:45', '2026-10-25 01:00', '2026-10-25 01:15'],
      ],
      [
        'every 5 minutes, forward',
        timing('every_5_minutes', { timezone: berlin }),
        '2026-03-29 00:52',
        ['2026-03-29 00:55', '2026-03-29 01:00', '2026-03-29 01:05'],
      ],
      [
        'cron at half past',
        custom('30 * * * *', berlin),
        '2026-10-24 23:31',
        ['2026-10-25 00:30', '2026-10-25 01:30', '2026-10-25 02:30'],
      ],
      [
        'the full hour of Lord Howe, back by half of one',
        timing('hourly', { timezone: 'Australia/Lord_Howe' }),
        '2026-04-04 13:30',
        ['2026-04-04 14:00', '2026-04-04 15:30', '2026-04-04 16:30'],
      ],
      [
        'and forward',
        timing('hourly', { timezone: 'Australia/Lord_Howe' }),
        '2026-10-03 14:00',
        ['2026-10-03 14:30', '2026-10-03 16:00', '2026-10-03 17:00'],
      ],
      [
        'the hours of one day, months and a change away',
        custom('0 * 1 7 *', berlin),
        '2026-01-15 00:00',
        ['2026-06-30 22:00', '2026-06-30 23:00'],
      ],
    ])
  },
)

// Another way to the same answer: look at the wall every minute, and take the first at which it is late enough.
proves(
  ['schedules.gap', 'schedules.overlap'],
  'a daily time agrees with a walk through the minutes of every change',
  () => {
    const changes: [zone: string, day: string][] = [
      ['Europe/Berlin', '2026-03-29'],
      ['Europe/Berlin', '2026-10-25'],
      ['America/New_York', '2026-03-08'],
      ['America/New_York', '2026-11-01'],
      ['Australia/Lord_Howe', '2026-04-05'],
      ['Australia/Lord_Howe', '2026-10-04'],
      ['Africa/Cairo', '2026-04-24'],
      ['Africa/Cairo', '2026-10-29'],
      ['America/Sao_Paulo', '2018-11-04'],
      ['America/Sao_Paulo', '2018-02-17'],
      ['Asia/Kolkata', '2026-03-29'],
    ]
    for (const [zone, day] of changes) {
      const format = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'short' })
      const begin = utc(`${day} 00:00`).getTime() - 20 * 3_600_000
      const minutes = Array.from({ length: 60 * 60 }, (_, index) => begin + index * 60_000)
      const walls = minutes.map((at) => format.format(at))
      for (const time of ['00:00', '00:30', '01:30', '01:45', '02:00', '02:15', '02:30', '03:00', '23:30']) {
        const seen = walls.findIndex((wall) => wall >= `${day} ${time}`)
        const before = new Date(minutes[seen]! - 60_000)
        assert.equal(nextAfter(daily(time, zone), before)?.getTime(), minutes[seen], `${zone} ${day} ${time}`)
      }
    }
  },
)

proves('schedules.cron', 'cron takes steps, lists, ranges and names, and either of two restricted days', () => {
  check([
    [
      'steps',
      custom('*/20 8-9 * * *'),
      '2026-07-18 08:30',
      ['2026-07-18 08:40', '2026-07-18 09:00', '2026-07-18 09:20'],
    ],
    [
      'a stepped range',
      custom('10-40/15 6 * * *'),
      '2026-07-18 06:00',
      ['2026-07-18 06:10', '2026-07-18 06:25', '2026-07-18 06:40', '2026-07-19 06:10'],
    ],
    ['lists', custom('5,35 0,12 * * *'), '2026-07-18 00:05', ['2026-07-18 00:35', '2026-07-18 12:05']],
    [
      'names',
      custom('0 9 * jan,jul MON-Wed'),
      '2026-07-18 00:00',
      ['2026-07-20 09:00', '2026-07-21 09:00', '2026-07-22 09:00', '2026-07-27 09:00'],
    ],
    ['both Sundays', custom('0 0 * * 7'), '2026-07-18 00:00', ['2026-07-19 00:00']],
    ['and 0', custom('0 0 * * 0'), '2026-07-18 00:00', ['2026-07-19 00:00']],
    [
      'the 13th or a Friday',
      custom('0 0 13 * fri'),
      '2026-07-09 00:00',
      ['2026-07-10 00:00', '2026-07-13 00:00', '2026-07-17 00:00'],
    ],
    ['leading zeros and wide spaces', custom('  05   07 01 * * '), '2026-07-18 00:00', ['2026-08-01 07:05']],
  ])
})

proves('schedules.cronProblems', 'a wrong cron expression is reported with the position of the mistake', () => {
  const cases: [string, RegExp][] = [
    ['', /five fields/],
    ['0 9 * *', /five fields/],
    ['0 0 9 * * *', /five fields/],
    ['@daily', /five fields/],
    ['60 * * * *', /"60" as minute, which must be 0 to 59/],
    ['0 24 * * *', /"24" as hour, which must be 0 to 23/],
    ['0 0 0 * *', /"0" as day of the month, which must be 1 to 31/],
    ['0 0 * 13 *', /"13" as month, which must be 1 to 12, or jan to dec/],
    ['0 0 * * 8', /"8" as day of the week/],
    ['0 0 * * someday', /"someday" as day of the week/],
    ['30-10 * * * *', /ends before it begins/],
    ['*/0 * * * *', /step must be 1 to 59/],
    ['5/10 * * * *', /step needs a range: 5-59\/10/],
    ['1,,2 * * * *', /"" as minute/],
    ['? * * * *', /"\?" as minute/],
    ['0 0 L * *', /"L" as day of the month/],
    ['0 0 1W * *', /"1W" as day of the month/],
    ['0 0 * * mon#2', /"mon#2" as day of the week/],
  ]
  for (const [cron, expected] of cases) assert.match(cronProblem(cron) ?? 'nothing wrong', expected, cron)
  assert.equal(cronProblem('*/15 0-6,20 1,15 jan-mar mon'), undefined)
})

proves('schedules.never', 'an expression that no date fits is never due', () => {
  for (const cron of ['0 0 31 2 *', '0 0 30 feb *', '0 12 31 4,6,9,11 *']) {
    assert.equal(nextAfter(custom(cron, 'Europe/Berlin'), new Date()), null, cron)
    assert.deepEqual(nextFive(custom(cron), new Date()), [])
  }
})

proves('schedules.preview', 'five due times follow each other', () => {
  assert.deepEqual(
    nextFive(daily('02:30', 'Europe/Berlin'), utc('2026-03-27 12:00')),
    ['2026-03-28 01:30', '2026-03-29 01:00', '2026-03-30 00:30', '2026-03-31 00:30', '2026-04-01 00:30'].map(utc),
  )
})

proves('schedules.latest', 'of many due times the latest are found, however many there are', () => {
  const everyMinute = custom('* * * * *', 'Europe/Berlin')
  const first = utc('2025-01-01 00:00')
  const until = new Date('2026-07-18T09:30:30.000Z')
  assert.deepEqual(
    latestDue(everyMinute, first, until, 3),
    ['2026-07-18 09:28', '2026-07-18 09:29', '2026-07-18 09:30'].map(utc),
  )
  assert.deepEqual(latestDue(everyMinute, until, until, 3), [until], 'the first one counts, whatever it is')
  const rare = custom('0 0 29 2 *')
  assert.deepEqual(
    latestDue(rare, utc('2020-02-29 00:00'), until, 100),
    ['2020-02-29 00:00', '2024-02-29 00:00'].map(utc),
  )
})

proves('schedules.timezones', 'a time zone is an IANA name, old ones included, and no offset', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Calcutta', 'US/Pacific', 'Etc/GMT+5'])
    assert.ok(isTimezone(name), name)
  for (const name of ['', '+02:00', '-0500', 'Europe/Atlantis', 'CEST?', 'Z', ' UTC'])
    assert.ok(!isTimezone(name), name)
})
