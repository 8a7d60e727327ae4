// Each action on a page: what is done in the browser, and the sentence where it cannot be done.
import { setTimeout } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import type { Guard } from '../../base/outbound/guard.ts'
import { OutboundRefused } from '../../base/outbound/guard.ts'
import type { Action, ScrollTarget } from './browser.ts'
import { findElement, NoSuchElement } from './elements.ts'
import { inTime, within } from './withTimeout.ts'

/** The longest that one part of an action may take. */
const partMs = 10_000
const openMs = 30_000

/** What could not be done, in words for whoever asked. */
export class CannotDo extends Error {}

type OnPage = Exclude<Action, { kind: 'pages' | 'switch' | 'screenshot' | 'login' }>

/** Gives what was read, if that was the action. */
export async function perform(
  page: Page,
  action: OnPage,
  { guard, signal }: { guard: Guard; signal: AbortSignal },
): Promise<string | undefined> {
  const limits = { timeout: partMs, signal }
  if (page.url() === 'about:blank' && !['open', 'wait'].includes(action.kind)) {
    throw new CannotDo('No page is open yet. Open one first.')
  }
  switch (action.kind) {
    case 'open':
      await open(page, action.url, guard, signal)
      break
    case 'click':
      await (await findElement(page, action.element, 'click')).click(limits)
      break
    case 'type': {
      const field = await findElement(page, action.element, 'type')
      await field.fill(action.text, limits)
      if (action.submit) await field.press('Enter', limits)
      break
    }
    case 'select':
      await (await findElement(page, action.element, 'select')).selectOption(action.value, limits)
      break
    case 'press':
      await inTime(partMs, page.keyboard.press(action.key))
      break
    case 'read':
      if (action.element !== undefined) return readElement(page, action.element)
      break
    case 'back': {
      const answer = await page.goBack({ ...limits, waitUntil: 'commit' })
      if (answer === null) throw new CannotDo('There is no earlier page to go back to.')
      break
    }
    case 'scroll':
      await within(partMs, page.evaluate(scrollBy[action.to]), undefined)
      break
    case 'wait':
      await wait(page, action, signal)
      break
  }
  return undefined
}

/** The URL to open, or the refusal. The proxy checks every redirect and everything that the page loads. */
function admitted(given: string, guard: Guard): string {
  try {
    return guard.checkUrl(given).href
  } catch (error) {
    if (!(error instanceof OutboundRefused)) throw error
    throw new CannotDo(error.rule === 'scheme' ? onlyHttp : error.reason)
  }
}

export const noAnswer = 'The page does not answer. Open it again, or another one.'
export const onlyHttp = 'The browser opens only http and https URLs.'

async function open(page: Page, given: string, guard: Guard, signal: AbortSignal): Promise<void> {
  const url = admitted(given, guard)
  try {
    // Waits only for the first byte; the rest is waited for as after any action, because a page may never finish loading.
    await page.goto(url, { timeout: openMs, signal, waitUntil: 'commit' })
  } catch (error) {
    // A URL that is a download, or has no content, does not change the page.
    if (!/Download is starting|ERR_ABORTED/.test(String(error))) throw error
  }
}

async function readElement(page: Page, words: string): Promise<string> {
  const found = await findElement(page, words, 'read')
  const limits = { timeout: partMs }
  // an element that is not a field answers at once
  const own = (await within(partMs, found.inputValue(limits), '')) || (await found.innerText(limits))
  if (own.trim() !== words) return own.trim()
  // Whoever asks for "Total" wants the text beside that word.
  const around = found.locator('xpath=ancestor::*[self::tr or self::dl or self::li or self::p or self::div][1]')
  const isThere = (await within(partMs, around.count(), 0)) > 0
  return (isThere ? await within(partMs, around.innerText(limits), own) : own).trim()
}

/** Runs in the page. */
const scrollBy: Record<ScrollTarget, string> = {
  down: 'scrollBy({ top: innerHeight * 0.9, behavior: "instant" })',
  up: 'scrollBy({ top: innerHeight * -0.9, behavior: "instant" })',
  top: 'scrollTo({ top: 0, behavior: "instant" })',
  bottom: 'scrollTo({ top: 1e9, behavior: "instant" })',
}

async function wait(page: Page, { text, seconds }: { text?: string; seconds?: number }, signal: AbortSignal) {
  const timeout = (seconds ?? 30) * 1000
  try {
    if (text === undefined) await setTimeout(timeout, undefined, { signal })
    else await page.getByText(text).filter({ visible: true }).first().waitFor({ timeout, signal })
  } catch (error) {
    if (signal.aborted) throw error
    throw new CannotDo(`The page did not show ${JSON.stringify(text)} within ${timeout / 1000} s.`)
  }
}

/** What playwright throws, in words for whoever asked. */
export function sentenceOf(error: unknown): string {
  if (error instanceof CannotDo || error instanceof NoSuchElement) return error.message
  const [first = ''] = (error instanceof Error ? error.message : String(error)).replace(/^\w+\.\w+: /, '').split('\n')
  const [, code] = /net::(ERR_\w+)/.exec(first) ?? []
  if (code === 'ERR_UNSAFE_REDIRECT') return `The page leads to a URL of another kind. ${onlyHttp}`
  if (code !== undefined) return `The page could not be opened (${code}).`
  if (/Page crashed|Target (page|crashed)|has been closed/.test(first))
    return 'The page crashed or was closed. Open it again.'
  if (/Timeout \d+ms exceeded/.test(first)) {
    return 'That took too long and was given up: the element may be covered, disabled or moving, or the page busy.'
  }
  if (/Unknown key/.test(first))
    return `${first}. Keys are called Enter, Tab, Escape, ArrowDown, Control+a or a single letter.`
  return first
}
