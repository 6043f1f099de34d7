/** A setting of the environment. `parse` throws an Error whose message completes "NAME: …". */
export interface Setting<Value> {
  readonly default: string
  readonly meaning: string
  readonly parse: (text: string) => Value
}

/** A row of the table of settings. */
export function setting<Value>(
  fallback: string,
  meaning: string,
  parse: (text: string) => Value,
): Setting<Value> {
  return { default: fallback, meaning, parse }
}
