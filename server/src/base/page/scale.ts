// Axes: round numbers for ticks, and the share of the axis at which a value stands.

export interface Scale {
  min: number
  max: number
  ticks: number[]
}

/** Steps of a clock, in seconds. */
const clockSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400]

/** How many parts an axis has, about. */
const partsWanted = 4

/** The largest value that an axis reaches. */
const sizeMax = 1e200

interface Wanted {
  /** Bars and areas grow from zero; a line may show a part of the axis only. */
  fromZero: boolean
  isDuration: boolean
}

export function scaleOf(values: number[], { fromZero, isDuration }: Wanted): Scale {
  let low = Infinity
  let high = -Infinity
  for (const value of values) {
    if (value < low) low = value
    if (value > high) high = value
  }
  if (low > high) [low, high] = [0, 1]
  // beyond these, sums and steps leave what a number can hold
  ;[low, high] = [Math.max(low, -sizeMax), Math.min(high, sizeMax)]
  if (Math.max(Math.abs(low), Math.abs(high)) < 1 / sizeMax) [low, high] = [0, 1]
  // a line that moves in the upper fifth of its axis shows nothing
  const isFarFromZero = low > 0 ? low > high * 0.8 : high < 0 && high < low * 0.8
  if (fromZero || !isFarFromZero) [low, high] = [Math.min(low, 0), Math.max(high, 0)]
  if (low === high) [low, high] = low === 0 ? [0, 1] : [Math.min(low, 0), Math.max(low, 0)]
  const areWhole = values.every(Number.isInteger)
  const rough = high / partsWanted - low / partsWanted
  const step = isDuration && rough >= 1 && rough <= 86_400 ? clockStep(rough) : roundStep(rough, areWhole)
  const [min, max] = [Math.floor(low / step) * step, Math.ceil(high / step) * step]
  const count = Math.round((max - min) / step)
  const ticks = Array.from({ length: count + 1 }, (_, index) => exact(min + index * step, step))
  return { min, max, ticks: ticks.filter(Number.isFinite) }
}

const clockStep = (rough: number): number => clockSteps.find((step) => step >= rough) ?? 86_400

function roundStep(rough: number, areWhole: boolean): number {
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].find((part) => part * power >= rough * 0.9999) ?? 10
  const rounded = step * power
  return areWhole ? Math.max(1, step === 2.5 && power < 10 ? 5 * power : rounded) : rounded
}

/** Sums of 0.1 are not tenths. */
const exact = (value: number, step: number): number => {
  const digits = Math.min(15, Math.max(0, 2 - Math.floor(Math.log10(step))))
  return Math.abs(value) < 1e15 ? Number(value.toFixed(digits)) : value
}

/** From 0 at the start of the axis to 1 at its end. */
export function shareOf({ min, max }: Scale, value: number): number {
  const share = value / (max - min) - min / (max - min)
  return Number.isFinite(share) ? Math.min(1, Math.max(0, share)) : 0
}
