// How many rows a page of a list can have.
export const pageSizes = [25, 50, 100] as const
export type PageSize = (typeof pageSizes)[number]
