// A list of what runs are given: its words, how many there are, and the table. Its four kinds differ in their columns.
import type { UseQueryResult } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { counted } from '../../../parts/amounts.ts'
import { CopyAs, type CopyAsProps } from '../../../parts/CopyAs.tsx'
import { SearchField } from '../../../parts/SearchField.tsx'
import { Empty, Shown } from '../../../parts/states.tsx'
import type { GivenKind } from '../../../queries/given.ts'
import type { IconName } from '../../../look/Icon.tsx'
import { classes } from '../../../look/classes.ts'
import table from '../../../parts/Table.module.css'
import style from '../ConnectionsScreen.module.css'

const route = getRouteApi('/frame/connections')

interface GivenListProps<Page extends { total: number }> {
  kind: GivenKind
  /** One of them: `secret`. */
  noun: string
  operation: CopyAsProps['operation']
  hint: string
  query: UseQueryResult<Page>
  columns: string[]
  rows: (page: Page) => ReactNode[]
  empty: { icon: IconName; title: string; says: string; action: ReactNode; command: string }
}

export function GivenList<Page extends { total: number }>(props: GivenListProps<Page>) {
  const { kind, noun, operation, hint, query, columns, rows, empty } = props
  const { search } = route.useSearch()
  const navigate = route.useNavigate()
  return (
    <>
      <section className={style.filters} aria-label="Filters">
        <SearchField
          value={search ?? ''}
          what={kind}
          where={kind}
          hint={hint}
          onChange={(words) =>
            void navigate({ search: (now) => ({ ...now, search: words === '' ? undefined : words }), replace: true })
          }
        />
        <span className={style.gap} />
        {query.data && (
          <span className="dim small" aria-live="polite">
            {counted(query.data.total, noun)}
          </span>
        )}
        <CopyAs operation={operation} input={search === undefined ? {} : { search }} />
      </section>
      <Shown query={query} what={kind}>
        {(page) =>
          page.total > 0 ? (
            <div className={style.scroll}>
              <table className={classes(table.table, style.table)}>
                <thead>
                  <tr>
                    {columns.map((column) => (
                      <th key={column} scope="col">
                        {column}
                      </th>
                    ))}
                    <th scope="col">
                      <span className="forReaders">Actions</span>
                    </th>
                  </tr>
                </thead>
                <tbody>{rows(page)}</tbody>
              </table>
            </div>
          ) : search === undefined ? (
            <Empty icon={empty.icon} title={empty.title} action={empty.action} command={empty.command}>
              {empty.says}
            </Empty>
          ) : (
            <Empty icon="search" title={`No ${noun} fits`}>
              <Link className="link" to="/connections" search={{ tab: kind }}>
                Show all {kind}
              </Link>
            </Empty>
          )
        }
      </Shown>
    </>
  )
}
