// JSON, small and large.
import { Json } from '../../parts/Json.tsx'
import { Sample } from './Sample.tsx'

const usual = {
  order: '88214',
  amount: 412.5,
  isPaid: true,
  customer: { name: 'A. Example', since: null, tags: ['retail', 'berlin'] },
  items: [
    { sku: 'DESK-1', count: 1, note: 'Two legs are cracked, the plate has a scratch of 4 cm at the front edge.' },
    { sku: 'LAMP', count: 2 },
  ],
  none: {},
}

const many = Array.from({ length: 3000 }, (_, at) => ({ id: at, name: `row ${at}`, values: [at, at * 2, at * 3] }))

const large = {
  rows: Array.from({ length: 40_000 }, (_, at) => ({ id: at, text: 'x'.repeat(60) })),
  text: 'y'.repeat(1_000_000),
}

let deep: unknown = 'the floor'
for (let at = 0; at < 400; at += 1) deep = { below: deep, at }

export function JsonSamples() {
  return (
    <>
      <Sample name="Usual">
        <Json value={usual} />
      </Sample>
      <Sample name="Plain values">
        <Json value="a text" />
        <Json value={null} />
        <Json value={[]} />
      </Sample>
      <Sample name="A long text">
        <Json value={{ text: 'lorem ipsum '.repeat(400) }} />
      </Sample>
      <Sample name="3,000 rows">
        <Json value={{ many }} />
      </Sample>
      <Sample name="4 MiB">
        <Json value={large} rows={20} />
      </Sample>
      <Sample name="400 levels">
        <Json value={deep} rows={30} />
      </Sample>
    </>
  )
}
