/** Limits of JSON in requests. */
export const jsonLimits = {
  /** Levels of one input below its own. */
  inputDepth: 32,
  /** Levels of the text of a body, which can carry a batch of inputs, each in an envelope. */
  textDepth: 64,
  /** Named fields in the text of a body. */
  fields: 10_000,
  /** Entries of all lists and objects of one input. */
  values: 100_000,
} as const
