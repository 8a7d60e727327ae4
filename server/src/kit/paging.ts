// Lists: `limit` and `offset` as every list takes them, and the wrapper that carries them back.
import { Type, type TProperties, type TSchema } from './schema.ts'

/** The query fields of a list; `limit=0` gives only the total. */
export const paging = (usual: number, max: number) => ({
  limit: Type.Integer({ minimum: 0, maximum: max, default: usual, description: `How many to give, at most ${max}.` }),
  offset: Type.Integer({ minimum: 0, maximum: 2_147_483_647, default: 0, description: 'How many to skip.' }),
})

/** `{members: […], total, limit, offset}` with exactly these keys. */
export function pageOf<const Name extends string, T extends TSchema>(name: Name, item: T) {
  const properties = {
    [name]: Type.Array(item),
    total: Type.Integer({ minimum: 0 }),
    limit: Type.Integer({ minimum: 0 }),
    offset: Type.Integer({ minimum: 0 }),
  } as { [N in Name]: ReturnType<typeof Type.Array<T>> } & Record<
    'total' | 'limit' | 'offset',
    ReturnType<typeof Type.Integer>
  >
  return Type.Object(properties satisfies TProperties, { additionalProperties: false })
}
