// The words of mails: what happened as plain text and as HTML, in which every text of others is text.
import { escaped } from '../../drivers/mail/message.ts'
import type { Kind } from './choices.ts'
import type { NewsItem } from './news.ts'

export interface Letter {
  subject: string
  text: string
  html: string
}

interface Place {
  baseUrl: string
  teamName: string
}

const headings: Record<Kind, string> = {
  human_requests: 'Waiting for a person',
  failed_runs: 'Failed runs',
  connections: 'Connections that need a person',
  deliveries: 'Deliveries that fail',
  alerts: 'Alerts',
}
const firstWords: Record<Kind, string> = {
  human_requests: 'Waiting for a person',
  failed_runs: 'Run failed',
  connections: 'Connection needs a person',
  deliveries: 'Deliveries fail',
  alerts: 'Alert',
}

export function newsLetter(items: NewsItem[], { baseUrl, teamName }: Place): Letter {
  const groups = (Object.keys(headings) as Kind[]).flatMap((kind) => {
    const own = items.filter((item) => item.kind === kind)
    return own.length === 0 ? [] : [{ heading: `${headings[kind]} (${own.length})`, items: own }]
  })
  const isAgain = items.some(({ doubted_mail_id }) => doubted_mail_id !== null)
  const again = 'This is still so. You may have had a mail about it: we cannot know whether it arrived.'
  const settings = `${baseUrl}/notifications`
  const foot = `You get this because you chose it in Runyard, team ${teamName}. Change it: `
  const text = [
    ...(isAgain ? [again, ''] : []),
    ...groups.flatMap(({ heading, items: own }) => [
      heading,
      ...own.flatMap(({ title, detail, path }) => [`- ${title}`, `  ${detail}`, `  ${baseUrl}${path}`]),
      '',
    ]),
    '--',
    `${foot}${settings}`,
    '',
  ].join('\n')
  const html = pageOf([
    ...(isAgain ? [`<p>${escaped(again)}</p>`] : []),
    ...groups.flatMap(({ heading, items: own }) => [
      `<h2 style="font-size:15px;margin:20px 0 6px">${escaped(heading)}</h2>`,
      '<ul style="margin:0;padding-left:18px">',
      ...own.map(
        ({ title, detail, path }) =>
          `<li style="margin:0 0 8px"><a href="${escaped(baseUrl + path)}">${escaped(title)}</a><br>` +
          `<span style="color:#666">${escaped(detail)}</span></li>`,
      ),
      '</ul>',
    ]),
    `<p style="color:#666;font-size:12px;margin-top:24px">${escaped(foot)}<a href="${escaped(settings)}">notifications</a></p>`,
  ])
  return { subject: subjectOf(items), text, html }
}

function subjectOf(items: NewsItem[]): string {
  const [first] = items
  if (items.length === 1 && first) return `${firstWords[first.kind]}: ${first.title}`
  const isAlike = items.every(({ kind }) => kind === first?.kind)
  return isAlike && first ? `${headings[first.kind]}: ${items.length}` : `${items.length} things need a look`
}

export function testLetter({ baseUrl, teamName }: Place): Letter {
  const says = `Mails from Runyard, team ${teamName}, reach you.`
  const settings = `${baseUrl}/notifications`
  return {
    subject: 'A test mail from Runyard',
    text: `${says}\n\nChoose what you are notified of, and when: ${settings}\n`,
    html: pageOf([
      `<p>${escaped(says)}</p>`,
      `<p>Choose what you are notified of, and when: <a href="${escaped(settings)}">notifications</a></p>`,
    ]),
  }
}

/** It goes to an address that may be a stranger's, so nothing in it was written by a tenant. */
export function confirmationLetter(baseUrl: string, token: string): Letter {
  const link = `${baseUrl}/notifications#confirm=${token}`
  const says =
    'Somebody asked Runyard to send notifications to this address. If it was you, open this link within a day:'
  const otherwise = 'If it was not you, do nothing: no other mail will come.'
  return {
    subject: 'Confirm your address for Runyard',
    text: `${says}\n\n${link}\n\n${otherwise}\n`,
    html: pageOf([
      `<p>${escaped(says)}</p>`,
      `<p><a href="${escaped(link)}">Confirm this address</a></p>`,
      `<p>${escaped(otherwise)}</p>`,
    ]),
  }
}

const pageOf = (lines: string[]): string =>
  [
    '<!doctype html><html><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>',
    '<body style="font:14px/1.5 system-ui,sans-serif;max-width:640px">',
    ...lines,
    '</body></html>',
  ].join('\n')
