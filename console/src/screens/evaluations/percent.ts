// A share as people read it. 99.9 % is not 100 %: only what is whole is called so.

export const percent = (share: number | null): string =>
  share === null ? 'unknown' : share >= 1 ? '100 %' : `${Math.min(99, Math.round(share * 100))} %`
