// The gallery of artifacts: live pages with their pictures, whose they are, and how fresh they are.
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Bar } from '../../app/Bar.tsx'
import { useCommands } from '../../app/commands.ts'
import { useKeys } from '../../app/keys.ts'
import { useSession } from '../../app/session.tsx'
import { count, counted } from '../../parts/amounts.ts'
import { Button, ButtonLink } from '../../parts/Button.tsx'
import { CopyAs } from '../../parts/CopyAs.tsx'
import { Empty, Shown } from '../../parts/states.tsx'
import { Switch } from '../../parts/Switch.tsx'
import { artifactsQuery } from '../../queries/artifacts.ts'
import { SearchField } from '../../parts/SearchField.tsx'
import { ArtifactCard } from './ArtifactCard.tsx'
import style from './ArtifactsScreen.module.css'
import { NewArtifact } from './NewArtifact.tsx'
import { scopes } from './search.ts'

const route = getRouteApi('/frame/artifacts')
const pageSize = 24
const scopeNames = { created: 'Mine', team: 'Of the team', shared: 'Shared by others' }

export function ArtifactsScreen() {
  const { unable } = useSession()
  const { scope = 'created', search, page = 0, new: making } = route.useSearch()
  const navigate = route.useNavigate()
  const input = { scope, search, limit: pageSize, offset: page * pageSize }
  const artifacts = useQuery(artifactsQuery(input))
  const cannot = unable('artifacts:write')
  const setMaking = (isMaking: boolean) =>
    void navigate({ search: (now) => ({ ...now, new: isMaking ? 'page' : undefined }), replace: !isMaking })
  useCommands([{ id: 'new-artifact', label: 'New artifact', icon: 'plus', unable: cannot, run: () => setMaking(true) }])
  useKeys([{ keys: 'c', says: 'New artifact', where: 'Artifacts', run: () => cannot === undefined && setMaking(true) }])
  const make = (
    <Button kind="go" icon="plus" unable={cannot} onClick={() => setMaking(true)}>
      New artifact
    </Button>
  )
  const narrowed = (change: object) => ({ ...(scope !== 'created' && { scope }), ...(search && { search }), ...change })
  return (
    <>
      <Bar title="Artifacts">
        <span className={style.wide}>
          <CopyAs operation="listArtifacts" input={input} />
        </span>
        {make}
      </Bar>
      <main className={style.main}>
        <div className={style.filters}>
          <Switch
            label="Whose artifacts"
            choices={scopes.map((one) => ({
              label: scopeNames[one],
              isOpen: one === scope,
              link: {
                to: '/artifacts',
                search: { ...(one !== 'created' && { scope: one }), ...(search !== undefined && { search }) },
              },
            }))}
          />
          <SearchField
            what="artifacts"
            where="Artifacts"
            hint="Words of the title"
            value={search ?? ''}
            onChange={(words) =>
              void navigate({ search: narrowed({ search: words === '' ? undefined : words }), replace: true })
            }
          />
          {artifacts.data && (
            <span className={style.total} aria-live="polite">
              {counted(artifacts.data.total, 'artifact')} · last changed first
            </span>
          )}
        </div>
        <Shown query={artifacts} what="artifacts" rows={12}>
          {({ artifacts: rows, total }) =>
            rows.length === 0 ? (
              <Empty
                icon="artifacts"
                title={search === undefined ? noneOf[scope] : `No artifact has “${search}” in its title`}
                action={search === undefined && scope === 'created' ? make : undefined}
                {...(scope === 'created' && {
                  command: "runyard call createArtifact --message 'Compare our agents.' --template agent_scorecard",
                })}
              >
                An artifact is a live page that a chat makes and that refreshes itself: a dashboard or a document.
              </Empty>
            ) : (
              <>
                <div className={style.gallery}>
                  {rows.map((artifact) => (
                    <ArtifactCard key={artifact.id} artifact={artifact} />
                  ))}
                </div>
                {total > pageSize && (
                  <footer className={style.foot}>
                    {count(page * pageSize + 1)}–{count(page * pageSize + rows.length)} of {count(total)}
                    {page > 0 && (
                      <ButtonLink
                        icon="left"
                        to="/artifacts"
                        search={narrowed({ page: page === 1 ? undefined : page - 1 })}
                      >
                        Page before
                      </ButtonLink>
                    )}
                    {(page + 1) * pageSize < total && (
                      <ButtonLink icon="right" to="/artifacts" search={narrowed({ page: page + 1 })}>
                        Next page
                      </ButtonLink>
                    )}
                  </footer>
                )}
              </>
            )
          }
        </Shown>
      </main>
      {making && <NewArtifact onClose={() => setMaking(false)} />}
    </>
  )
}

const noneOf = {
  created: 'You have made no artifact yet',
  team: 'No artifact is shared with the team',
  shared: 'Nobody else shares an artifact with the team',
}
