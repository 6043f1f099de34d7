/** A Prometheus alert, with what the person does whom it wakes, and the series that prove that it fires. */
export interface Alert {
  readonly name: string
  /** `page` wakes a person; `ticket` waits for the next working day. */
  readonly severity: 'page' | 'ticket'
  readonly expr: string
  /** How long the expression holds before the alert fires. */
  readonly for: string
  /** One sentence, with what customers notice. */
  readonly summary: string
  readonly meaning: string
  /** Where to look, and what to do, in this order. Markdown. */
  readonly steps: readonly string[]
  /** Series in the notation of promtool, at one value a minute: with `firing` the alert fires, with `healthy` it does not. */
  readonly test: {
    /** When it is decided. Default: 20. */
    readonly minute?: number
    /** The labels with which it fires besides `severity`. Default: none. */
    readonly labels?: Readonly<Record<string, string>>
    readonly firing: Readonly<Record<string, string>>
    readonly healthy: Readonly<Record<string, string>>
  }
}
