/**
 * A setting of the environment, declared once: `npm run observability` writes its rows in `.env.example` and docs/operating.md.
 * `parse` throws an Error whose message completes "NAME: …".
 */
export interface Setting<Value> {
  /** The variable. */
  readonly name: string
  /** What an absent or empty variable stands for. */
  readonly default: string
  /** What an empty default means, in Markdown: `for ever`. */
  readonly unset?: string
  /** Its meaning with unit and range, in Markdown; links are relative to docs/operating.md. */
  readonly description: string
  readonly parse: (text: string) => Value
}

/** Settings by their name in the config. */
export type SettingTable = Readonly<Record<string, Setting<unknown>>>
