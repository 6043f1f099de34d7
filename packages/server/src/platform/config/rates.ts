/** How many requests are accepted per minute; `Infinity` without a limit. */
export interface Rates {
  /** Of one token. */
  readonly reads: number
  readonly writes: number
  /** Requests of one token that run a bundle. */
  readonly bundles: number
  /** Requests through the proxy for one account. */
  readonly proxy: number
  /** Of one workspace, or of a user whose tokens are bound to none. */
  readonly workspace: number
  /** Requests of one network that fail to authenticate. */
  readonly failures: number
}

/** Above what one node can do, so that they stop only what runs away on several. */
export const DEFAULT_RATES: Rates = {
  reads: 3_000_000,
  writes: 600_000,
  bundles: 60_000,
  proxy: 300_000,
  workspace: 6_000_000,
  failures: 60,
}

export const NO_RATES: Rates = {
  reads: Infinity,
  writes: Infinity,
  bundles: Infinity,
  proxy: Infinity,
  workspace: Infinity,
  failures: Infinity,
}

/** LINCHPIN_RATES: `off`, or some of the limits, such as `reads=30000,writes=off`; the others keep their default. */
export function parseRates(text: string): Rates {
  if (text === 'off') return NO_RATES
  const entries = text.split(',').flatMap((part) => (part.trim() === '' ? [] : [parseRate(part)]))
  return { ...DEFAULT_RATES, ...Object.fromEntries(entries) }
}

function parseRate(part: string): [string, number] {
  const [, name = '', value = ''] = /^\s*(\w+)\s*=\s*(off|[1-9]\d{0,8})\s*$/.exec(part) ?? []
  if (!Object.hasOwn(DEFAULT_RATES, name))
    throw new Error(
      `must be off, or a list such as reads=30000,writes=off, of: ${Object.keys(DEFAULT_RATES).join(', ')}.`,
    )
  return [name, value === 'off' ? Infinity : Number(value)]
}
