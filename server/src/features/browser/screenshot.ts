// A screenshot: the picture of one action, as the timeline shows it, with URLs that expire.
import type { Context } from '../../kit/context.ts'
import { Id, named, Time, Type } from '../../kit/schema.ts'
import { signedUrl } from '../../kit/signedUrl.ts'

const ImageUrl = Type.String({
  description: 'A JPEG. Signed: it needs no other credential, and expires after one to two hours.',
})

export const Screenshot = named(
  'Screenshot',
  Type.Object({
    id: Id,
    session_id: Id,
    page_id: Id,
    seq: Type.Integer({ minimum: 1, description: '1, 2, 3 … in the run.' }),
    step: Type.Integer({ description: 'The step of the run’s ledger that the action is part of.' }),
    action: Type.String({ description: 'What was done, without what was typed.', examples: ['click Save'] }),
    url: Type.String(),
    title: Type.String(),
    taken_at: Time,
    offset_ms: Type.Integer({ minimum: 0, description: 'Since the start of the run.' }),
    width: Type.Integer(),
    height: Type.Integer(),
    image_url: ImageUrl,
    thumbnail_url: ImageUrl,
  }),
)

const validS = 3600

export const imageUrl = (context: Context, teamId: string, id: string): string =>
  signedUrl(context, { method: 'GET', path: `/images/${id}`, teamId, validS })
export const thumbnailUrl = (context: Context, teamId: string, id: string): string =>
  signedUrl(context, { method: 'GET', path: `/images/${id}/thumbnail`, teamId, validS })
