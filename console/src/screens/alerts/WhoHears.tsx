// Who hears of the incidents of a rule: everybody who wants to know of alerts, or the members that it names.
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Choices } from '../../parts/Choices.tsx'
import { Field, Select } from '../../parts/Field.tsx'
import { Shown } from '../../parts/states.tsx'
import { visible } from '../../parts/visibleText.ts'
import { membersQuery } from '../../queries/team.ts'
import { List } from './ScopeChoice.tsx'

interface WhoHearsProps {
  /** Undefined: everybody. */
  tells: string[] | undefined
  onChange: (tells: string[] | undefined) => void
}

export function WhoHears({ tells, onChange }: WhoHearsProps) {
  const members = useQuery({ ...membersQuery, enabled: tells !== undefined })
  return (
    <>
      <Field
        label="Who hears of it"
        hint={
          <>
            By mail only those who chose it in their{' '}
            <Link className="link" to="/notifications">
              notifications
            </Link>
            .
          </>
        }
      >
        <Select
          value={tells === undefined ? 'all' : 'some'}
          options={[
            { value: 'all', label: 'Everybody' },
            { value: 'some', label: 'Only these members' },
          ]}
          onChange={({ target }) => onChange(target.value === 'all' ? undefined : [])}
        />
      </Field>
      {tells !== undefined && (
        <List label="Members">
          <Shown query={members} what="members">
            {({ members: rows }) => (
              <Choices
                what="members"
                choices={rows.map(({ id, name, email }) => ({
                  value: id,
                  label: visible(name),
                  ...(email !== null && { detail: visible(email) }),
                }))}
                chosen={tells}
                onChoose={(id) => {
                  // who has left since the choice is not in the list
                  const still = tells.filter((one) => rows.some((member) => member.id === one))
                  onChange(still.includes(id) ? still.filter((one) => one !== id) : [...still, id])
                }}
              />
            )}
          </Shown>
        </List>
      )}
    </>
  )
}
