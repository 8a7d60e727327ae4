// The question about something that a draft needs and the team does not have: a person picks another one, makes it, or leaves it out.
import type { Sql } from '../../../base/db.ts'
import type { Context } from '../../../kit/context.ts'
import type { BuilderQuestion } from './builderRun.ts'
import type { HeldBuilderRun } from './heldBuilderRun.ts'
import { listOffered, type Missing } from './teamOffers.ts'

/** A question has at most 20 options, of which two are no records. */
const recordsMax = 18

export const leaveItOut = 'Leave it out'

export const questionFor = ({ kind, noun, where, name }: Missing): string => {
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
      const { records } = await listOffered(held, one.kind, asked)
      const others = records.filter(({ name }) => name !== one.name).slice(0, recordsMax)
      return {
        question: questionFor(one),
        header: one.noun[0]!.toUpperCase() + one.noun.slice(1),
        options: [
          { label: one.name, description: `I have saved it now, ${one.where}.` },
          ...others.map(({ name, says }) => ({ label: name, ...(says !== '' && { description: says }) })),
          { label: leaveItOut },
        ],
        multi_select: false,
      }
    }),
  )
}
