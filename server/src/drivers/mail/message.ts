// Writes a mail as the lines that are sent: headers that no text can break out of, and the same text twice, plain and as HTML.
import { oneLine } from '../../base/oneLine.ts'

interface Mail {
  /** The part before the @ of the Message-ID: the same whenever this mail is sent. */
  id: string
  from: { name: string; address: string }
  to: string
  subject: string
  text: string
  html: string
  at: Date
  /** The id of an earlier mail that this one belongs to: mail programs show them together. */
  follows?: string | undefined
  /** Where mails like this are switched off. */
  settingsUrl: string
}

const subjectMax = 150
/** RFC 2047 §2: an encoded word has at most 75 characters, of which `=?UTF-8?B?` and `?=` are 12. In base64 that is 45 bytes of text. */
const wordBytes = 45

export function messageOf(mail: Mail): string {
  const { from, to, subject, text, html, at, follows, settingsUrl } = mail
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1)
  const boundary = `=_${mail.id}`
  const lines = [
    `From: ${headerText(from.name)} <${from.address}>`,
    `To: <${to}>`,
    `Subject: ${headerText(oneLine(subject, subjectMax))}`,
    `Date: ${at.toUTCString().replace('GMT', '+0000')}`,
    `Message-ID: <${mail.id}@${domain}>`,
    ...(follows === undefined ? [] : [`In-Reply-To: <${follows}@${domain}>`, `References: <${follows}@${domain}>`]),
    'MIME-Version: 1.0',
    // RFC 3834: out-of-office programs do not answer
    'Auto-Submitted: auto-generated',
    `List-Unsubscribe: <${settingsUrl}>`,
    `Content-Type: multipart/alternative; boundary="${boundary}"`,
    '',
    ...partOf(boundary, 'text/plain', text),
    ...partOf(boundary, 'text/html', html),
    `--${boundary}--`,
    '',
  ]
  return lines.join('\r\n')
}

const partOf = (boundary: string, type: string, body: string): string[] => [
  `--${boundary}`,
  `Content-Type: ${type}; charset=utf-8`,
  'Content-Transfer-Encoding: base64',
  '',
  // lines of base64 never begin with a dot, so none must be doubled (RFC 5321 §4.5.2)
  ...(Buffer.from(body)
    .toString('base64')
    .match(/.{1,76}/g) ?? []),
]

/** Plain words stay readable. Everything else, and everything that means something to a mail program, is encoded. */
function headerText(text: string): string {
  if (/^[A-Za-z0-9 ,.:;!/#&+_-]*$/.test(text) && text.length <= 60) return text
  const words: string[] = []
  let word = ''
  for (const character of text.toWellFormed().replaceAll(/\p{Cc}/gu, ' ')) {
    if (Buffer.byteLength(word + character) > wordBytes) {
      words.push(word)
      word = ''
    }
    word += character
  }
  return [...words, word].map((each) => `=?UTF-8?B?${Buffer.from(each).toString('base64')}?=`).join('\r\n ')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** The text as text in HTML, also inside of an attribute. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => entities[character]!)
