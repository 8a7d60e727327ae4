// Names of Google's models: the SDK makes them a part of the URL that it asks, so one model could have many names.

/** The name that tables know: `google:models/gemini-…` asks for the same model, however often the folder is repeated. */
export const plainName = (model: string): string => model.replace(/^google:(?:models\/)+/, 'google:')

/** A name with anything else in it could lead to another model than the one whose price and rules it has. */
export const isPathOfModel = (modelId: string): boolean =>
  modelId.split('/').every((word) => /^[\w.@-]+$/.test(word) && !/^\.+$/.test(word))
