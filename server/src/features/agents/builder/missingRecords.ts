// The question about something that a draft needs and the team does not have: a person picks another one, makes it, or leaves it out.
import type { Sql } from '../../../base/db.ts'
import { oneLine } from '../../../base/oneLine.ts'
import type { Context } from '../../../kit/context.ts'
import type { BuilderQuestion } from './builderRun.ts'
import type { HeldBuilderRun } from './heldBuilderRun.ts'
import { listOffered, type Missing } from './teamOffers.ts'

/** A question has at most 20 options, of which two are no records. */
const recordsMax = 18

export const leaveItOut = 'Leave it out'

export const questionFor = ({ kind, noun, where, name, among }: Missing): string => {
  if (among.length > 0) return `${among.length} ${noun}s have the name “${name}”. Which one shall the draft use?`
  const isHidden = kind === 'secrets' || kind === 'logins'
  return (
    `The draft needs the ${noun} “${name}”, and there is none with this name that you may use. Which one shall it use? ` +
    `To make it, save it ${where}${isHidden ? ', and never write a value here' : ''}.`
  )
}

export async function questionsFor(
  held: HeldBuilderRun,
  missing: Missing[],
  asked: { context: Context; sql: Sql },
): Promise<BuilderQuestion[]> {
  return Promise.all(
    missing.map(async (one): Promise<BuilderQuestion> => {
      const options = one.among.length > 0 ? idsOf(one) : await othersThan(one, held, asked)
      return {
        question: questionFor(one),
        header: one.noun[0]!.toUpperCase() + one.noun.slice(1),
        options: [...options, { label: leaveItOut }],
        multi_select: false,
      }
    }),
  )
}

/** Only their ids tell them apart. */
const idsOf = ({ among }: Missing) =>
  among.slice(0, recordsMax).map(({ id, says }) => ({ label: id, ...described(oneLine(says, 300)) }))

async function othersThan(one: Missing, held: HeldBuilderRun, asked: { context: Context; sql: Sql }) {
  const { records } = await listOffered(held, one.kind, asked)
  const others = records.filter(({ name }) => name !== one.name).slice(0, recordsMax)
  return [
    { label: one.name, description: `I have saved it now, ${one.where}.` },
    ...others.map(({ name, says }) => ({ label: name, ...described(says) })),
  ]
}

const described = (says: string) => (says === '' ? {} : { description: says })
