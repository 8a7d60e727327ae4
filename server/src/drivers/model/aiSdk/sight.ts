// Which models take pictures. Whoever serves the others may not know pictures, and would refuse the whole request.

/** Names under which servers that speak chat completions serve models with eyes. */
const seeingNames =
  /gpt-(?:4o|4\.1|[5-9])|claude|gemini|gemma-?[3-9]|llava|pixtral|[-_.]vl\b|[-_]vl[-_:]|vision|llama-?4|mistral-(?:small|medium)-3|minicpm-v|internvl|moondream/i

/** `model` is `provider:model`. */
export const seesPictures = (model: string): boolean =>
  /^(?:anthropic|openai|google):/.test(model) || seeingNames.test(model)
