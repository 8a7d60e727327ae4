// The made-up team of the samples: when it is looked at, and ids for what it has.

export const sampleNow = new Date('2026-07-18T14:20:00.000Z')

export const sampleId = (n: number): string => `01981c5e-7a40-7c8e-9d7a-${String(n).padStart(12, '0')}`
