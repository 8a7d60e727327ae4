// A table, alone and in a card.
import { classes } from '../../look/classes.ts'
import { Card } from '../../parts/Card.tsx'
import table from '../../parts/Table.module.css'
import { Status } from '../../parts/Status.tsx'
import { Sample } from './Sample.tsx'

const rows = [
  { name: 'Match 212 supplier invoices to purchase orders', status: 'running', cost: '1.94' },
  { name: 'Renew the contract of site 14', status: 'failed', cost: '3.00' },
  { name: `A title of 2,000 characters: ${'long '.repeat(60)}`, status: 'completed', cost: '0.22' },
] as const

function Rows({ isInCard }: { isInCard?: boolean }) {
  return (
    <table className={classes(table.table, isInCard && table.inCard)}>
      <thead>
        <tr>
          <th scope="col">Status</th>
          <th scope="col">Run</th>
          <th scope="col" className={table.number}>
            USD
          </th>
        </tr>
      </thead>
      <tbody>
        {rows.map(({ name, status, cost }, at) => (
          <tr key={name} className={classes(at === 1 && table.chosen)}>
            <td>
              <Status run={{ status }} />
            </td>
            <td className={table.main}>{name}</td>
            <td className={table.number}>{cost}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

export function TableSamples() {
  return (
    <>
      <Sample name="Alone">
        <Rows />
      </Sample>
      <Sample name="In a card">
        <Card title="Runs">
          <Rows isInCard />
        </Card>
      </Sample>
    </>
  )
}
