// Amounts of dollars as the service takes them: decimal text.
export const isAmount = (text: string): boolean => /^\d{1,9}(\.\d{1,10})?$/.test(text)
