// Logs in: fills a login into the fields of the active page, round by round, and only while that page is of the login's own domain.
import type { ElementHandle, Page } from 'playwright-core'
import { isOfDomain } from '../../base/pageDomain.ts'
import type { Credentials } from './browser.ts'
import { CannotDo } from './perform.ts'
import { within } from './withTimeout.ts'

type Field = 'username' | 'password' | 'code'

const nameLike = (...words: string[]): string =>
  words.flatMap((word) => [`input[name*="${word}" i]`, `input[id*="${word}" i]`]).join(', ')

const notTyped = 'hidden submit button checkbox radio file image reset range color search'.split(' ')
const notFields = notTyped.map((type) => `:not([type=${type}])`)

/** The fields as sites mark them, the surest first. */
const selectors: Record<Field, string[]> = {
  code: [
    'input[autocomplete~="one-time-code"]',
    nameLike('otp', '2fa', 'mfa', 'one-time', 'onetime', 'verification', 'authcode', 'passcode'),
    'input[name=code i], input[id=code i], input[name=token i], input[id=token i]',
  ],
  password: ['input[type=password]'],
  username: ['input[autocomplete~="username"]', 'input[type=email]', nameLike('user', 'login', 'email', 'account')],
}

const partMs = 10_000
const roundsMax = 4

interface LoggingIn {
  page: Page
  credentials: Credentials
  signal: AbortSignal
  /** Called before a value is filled in: from then on it is masked and cut out. */
  hide: (value: string, isName: boolean) => void
  /** Waits until the page has come to rest. */
  settle: () => Promise<void>
}

/** Rejects with CannotDo where there is nothing to fill, or the page asks for the same again. */
export async function logIn(login: LoggingIn): Promise<void> {
  const filled = new Set<Field>()
  for (let round = 0; round < roundsMax; round += 1) {
    if (!isOfDomain(login.page.url(), login.credentials.domain)) {
      // it was sent elsewhere after the password was taken: that is the end of what this login is for
      if (filled.has('password')) return
      throw new CannotDo(notHere(login.credentials))
    }
    const fields = await fieldsOf(login.page)
    const wanted = fieldsToFill(fields, filled)
    if (wanted.length === 0) {
      if (filled.size === 0)
        throw new CannotDo('This page has no fields to log in with. Open the page that asks for the login.')
      return
    }
    const again = wanted.find((field) => filled.has(field))
    if (again !== undefined)
      throw new CannotDo(`The page asks for the ${words[again]} again: the login was not accepted.`)
    await fillRound(login, fields, wanted)
    for (const field of wanted) filled.add(field)
    await login.settle()
  }
}

const words: Record<Field, string> = { username: 'user name', password: 'password', code: 'one-time code' }

const notHere = ({ domain }: Credentials): string =>
  `The login is for pages of ${domain} alone, and this page is not one of them. Nothing was filled in.`

type Fields = Partial<Record<Field, ElementHandle>>

/** A code field comes alone; after the password only a code, or the password again, belongs to the login. */
function fieldsToFill(fields: Fields, filled: ReadonlySet<Field>): Field[] {
  // a user name that an earlier page took may be shown again beside the password
  if (fields.password) return fields.username && !filled.has('username') ? ['username', 'password'] : ['password']
  if (fields.code) return ['code']
  return fields.username && !filled.has('password') && !filled.has('code') ? ['username'] : []
}

/** Only of the page itself: a frame may be of somebody else. */
async function fieldsOf(page: Page): Promise<Fields> {
  const found: Fields = {}
  for (const field of ['code', 'password', 'username'] as const) {
    for (const selector of selectors[field]) {
      const isTyped = field === 'password' ? '' : ':not([type=password])'
      const all = selector.split(', ').map((one) => `${one}${notFields.join('')}${isTyped}`)
      const visible = page.mainFrame().locator(all.join(', ')).filter({ visible: true }).first()
      const handle =
        (await within(2000, visible.count(), 0)) > 0 ? await within(2000, visible.elementHandle(), null) : null
      if (handle) {
        found[field] = handle
        break
      }
    }
  }
  return found
}

async function fillRound(login: LoggingIn, fields: Fields, wanted: Field[]): Promise<void> {
  const { credentials, hide } = login
  if (wanted.includes('code') && !credentials.code) {
    throw new CannotDo('The page asks for a one-time code, and the login has no seed for one.')
  }
  const limits = { timeout: partMs, signal: login.signal }
  let last: ElementHandle | undefined
  for (const field of wanted) {
    const handle = fields[field]
    if (!handle) continue
    await requireOwn(handle, credentials)
    // made at the last moment: a code is good for half a minute
    const value = field === 'code' ? credentials.code!() : credentials[field]
    hide(value, field === 'username')
    await handle.fill(value, limits)
    last = handle
  }
  await last?.press('Enter', limits)
}

/** What of a field is asked in the page. */
interface FieldInPage {
  ownerDocument: { location: { href: string }; defaultView: { top: unknown } | null }
}

/** Asked of the document that the field belongs to, which cannot become another: a page that was left takes nothing. */
function whereItIs(element: unknown): string {
  const { location, defaultView } = (element as FieldInPage).ownerDocument
  return defaultView !== null && defaultView === defaultView.top ? location.href : ''
}

async function requireOwn(handle: ElementHandle, credentials: Credentials): Promise<void> {
  const url = await within(2000, handle.evaluate(whereItIs), '')
  if (!isOfDomain(url, credentials.domain)) throw new CannotDo(notHere(credentials))
}
