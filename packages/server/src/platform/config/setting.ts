/** A setting of the environment. `parse` throws an Error whose message completes "NAME: …". */
export interface Setting<Value> {
  /** The variable. */
  readonly name: string
  readonly default: string
  readonly meaning: string
  readonly parse: (text: string) => Value
}

/** A row of the table of settings. */
export function setting<Value>(
  name: string,
  fallback: string,
  meaning: string,
  parse: (text: string) => Value,
): Setting<Value> {
  return { name, default: fallback, meaning, parse }
}
