// The settings of the process that answers. Of a secret only whether it is set.
import type { GetSystemAnswer, ShownSetting } from '@runyard/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { Icon } from '../../look/Icon.tsx'
import { counted } from '../../parts/amounts.ts'
import { Button } from '../../parts/Button.tsx'
import { Cell, Row, RowTable } from '../../parts/RowTable.tsx'
import { SearchField } from '../../parts/SearchField.tsx'
import { Empty } from '../../parts/states.tsx'
import { Tag } from '../../parts/Tag.tsx'
import style from './SystemScreen.module.css'

const route = getRouteApi('/frame/system')

export function Settings({ system: { settings } }: { system: GetSystemAnswer }) {
  const { find = '', only } = route.useSearch()
  const navigate = route.useNavigate()
  const words = find.toLowerCase().split(/\s+/)
  const shown = settings.filter(
    ({ name, says, is_set }) =>
      (only === undefined || is_set) && words.every((word) => `${name} ${says}`.toLowerCase().includes(word)),
  )
  return (
    <>
      <div className={style.filters}>
        <SearchField
          what="settings"
          where="System"
          hint="Name or meaning"
          value={find}
          onChange={(text) =>
            void navigate({ search: (now) => ({ ...now, find: text === '' ? undefined : text }), replace: true })
          }
        />
        <Button
          aria-pressed={only === 'set'}
          {...(only === 'set' && { icon: 'check' as const })}
          onClick={() =>
            void navigate({
              search: (now) => ({ ...now, only: only === 'set' ? undefined : ('set' as const) }),
              replace: true,
            })
          }
        >
          Only those that are set
        </Button>
        <span className="dim small" aria-live="polite">
          {counted(shown.length, 'setting')} of the process that answers you
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty icon="search" title="No setting fits">
          Settings are environment variables; a change holds after a restart.
        </Empty>
      ) : (
        <RowTable heads={['Setting', 'Value', 'What it does']} hasActions={false}>
          {shown.map((setting) => (
            <Row key={setting.name}>
              <Cell>
                <code className={style.name}>{setting.name}</code> {setting.is_set && <Tag tone="live">set</Tag>}
              </Cell>
              <Cell of="Value">
                <Value setting={setting} />
              </Cell>
              <Cell>
                <span className={style.says}>{setting.says.replaceAll('`', '')}</span>
              </Cell>
            </Row>
          ))}
        </RowTable>
      )}
    </>
  )
}

function Value({ setting: { is_secret, is_set, value, unset } }: { setting: ShownSetting }) {
  if (is_secret && is_set)
    return (
      <span className={style.pool}>
        <Icon name="lock" size={14} /> hidden
      </span>
    )
  if (value !== null && !is_secret) return <code>{value}</code>
  return <span className="dim">{unset.replaceAll('`', '')}</span>
}
