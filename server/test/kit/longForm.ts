// Some tests have a long form that repeats more of the same, and some are only part of it: `npm run survive` and `npm run test:console` run it.
export const isLongForm = process.env['RUNYARD_LONG_TESTS'] === '1'

/** For a test that the short form can do without, since another one takes the same way. */
export const onlyInLongForm = { skip: isLongForm ? (false as const) : 'only in the long form' }
