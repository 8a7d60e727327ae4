// Files that this tab was given and has not sent yet: they need not be read back from where the browser keeps them for after a reload.
export const inHand = new Map<string, File>()
