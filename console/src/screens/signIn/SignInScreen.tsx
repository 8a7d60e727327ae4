// The ways in: a link that was opened, an API key, or the company's own sign-in. There are no passwords.
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState, type FormEvent } from 'react'
import { messageOf, runyard } from '../../app/client.ts'
import { linkRefusal } from '../../app/signInLink.ts'
import { Mark } from '../../look/Mark.tsx'
import { Button } from '../../parts/Button.tsx'
import { CommandLine } from '../../parts/CommandLine.tsx'
import { Field, Input } from '../../parts/Field.tsx'
import style from './SignInScreen.module.css'

interface Ways {
  api_key: boolean
  oidc: { name: string } | null
}

/** What the service said when a sign-in elsewhere failed; it comes back in the address. */
const oidcProblem = (): string | null =>
  window.location.pathname === '/sign-in' ? new URLSearchParams(window.location.search).get('error') : null

export default function SignInScreen({ hadSession, onSignedIn }: { hadSession: boolean; onSignedIn: () => void }) {
  const [key, setKey] = useState('')
  const { data: ways } = useQuery({
    queryKey: ['waysIn'],
    queryFn: async ({ signal }) => (await runyard.request('GET', '/auth/ways', { signal })).json() as Promise<Ways>,
  })
  const signIn = useMutation({
    mutationFn: (api_key: string) => runyard.request('POST', '/auth/sign-in', { body: { api_key } }),
    onSuccess: onSignedIn,
  })
  const problem = signIn.error ? messageOf(signIn.error) : undefined
  const notice = linkRefusal() ? messageOf(linkRefusal()) : oidcProblem()

  function submit(event: FormEvent) {
    event.preventDefault()
    if (key.trim() !== '') signIn.mutate(key.trim())
  }

  return (
    <main className={style.screen}>
      <div className={style.panel}>
        <Mark size={28} />
        <h1>{hadSession ? 'Your session has ended' : 'Sign in to Runyard'}</h1>
        {hadSession && <p className="sub">Sign in again, and you are back where you were.</p>}
        {notice && (
          <p className={style.notice} role="alert">
            {notice}
          </p>
        )}
        {ways?.oidc && (
          <a className={style.oidc} href="/auth/oidc">
            Sign in with {ways.oidc.name}
          </a>
        )}
        <form onSubmit={submit}>
          <Field label="API key" problem={problem}>
            <Input
              type="password"
              autoComplete="off"
              spellCheck={false}
              placeholder="ry_…"
              value={key}
              onChange={(event) => setKey(event.target.value)}
            />
          </Field>
          <Button
            type="submit"
            kind="go"
            isBusy={signIn.isPending}
            unable={key.trim() === '' ? 'Paste a key first.' : undefined}
          >
            Sign in
          </Button>
        </form>
        <div className={style.link}>
          <p className="sub">Or sign in with a link, made on the server:</p>
          <CommandLine text="npx runyard open" />
          <p className="dim small">An admin of the team can also send you one.</p>
        </div>
      </div>
    </main>
  )
}
