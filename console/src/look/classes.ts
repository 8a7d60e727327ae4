// Joins names of classes; what is false or undefined is left out.
export const classes = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(' ')
