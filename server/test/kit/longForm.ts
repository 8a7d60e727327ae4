// Some tests have a long form that only repeats more of the same: `npm run survive` and `npm run test:console` run it, and `npm test` runs the short one.
export const isLongForm = process.env['RUNYARD_LONG_TESTS'] === '1'
