// Exact decimal arithmetic on text: money is never a float. Ten decimals, as the columns hold it.

const decimals = 10
const scale = 10n ** BigInt(decimals)

/** An amount as callers write it: not more digits than the columns hold. */
export const amountPattern = '^\\d{1,9}(\\.\\d{1,10})?$'

/** What a caller gave, as text; a small number must not become 1e-7. */
export const amountText = (given: number | string): string =>
  typeof given === 'string' ? given : given.toFixed(decimals).replace(/\.?0+$/, '')

export function toUnits(text: string): bigint {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) ?? []
  if (whole === undefined) throw new Error(`${text} is not an amount`)
  const units = BigInt(whole) * scale + BigInt(fraction.slice(0, decimals).padEnd(decimals, '0'))
  return sign ? -units : units
}

export function fromUnits(units: bigint): string {
  const sign = units < 0n ? '-' : ''
  const positive = units < 0n ? -units : units
  const fraction = (positive % scale).toString().padStart(decimals, '0').replace(/0+$/, '')
  return `${sign}${positive / scale}${fraction && `.${fraction}`}`
}

export const sum = (a: string, b: string): string => fromUnits(toUnits(a) + toUnits(b))
export const isMore = (a: string, b: string): boolean => toUnits(a) > toUnits(b)
