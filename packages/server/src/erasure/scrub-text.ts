/** What replaces the identifier of an erased customer in texts. */
export const ERASED = '[erased]'

/** Finds and replaces the identifier of a customer in texts that contain it as a word, plain or encoded for a URL. */
export interface TextScrubber {
  isNamedIn(text: string | null): boolean
  scrub(text: string): string
}

/** A scrubber of one identifier. A longer word that contains the identifier is another word. */
export function createTextScrubber(identifier: string): TextScrubber {
  const encoded = encodeURIComponent(identifier)
  const form = new URLSearchParams([['', identifier]]).toString().slice(1)
  const spellings = new Set(
    [identifier, encoded, form].flatMap((text) => [text, text.replaceAll(/%../g, toLowerCase)]),
  )
  const words = [...spellings].map((text) => RegExp.escape(text)).join('|')
  const pattern = new RegExp(`(?<![\\p{L}\\p{N}])(?:${words})(?![\\p{L}\\p{N}])`, 'gu')
  return {
    isNamedIn: (text) => text !== null && text.search(pattern) >= 0,
    scrub: (text) => text.replaceAll(pattern, ERASED),
  }
}

const toLowerCase = (text: string) => text.toLowerCase()

/** The data of an event without the account's name, identifier tags and configuration, and without the customer's identifier. */
export function scrubEventData(
  data: Readonly<Record<string, unknown>>,
  scrubber: TextScrubber,
): Record<string, unknown> {
  const { account, ...others } = data
  const scrubbed = mapTexts(others, scrubber.scrub) as Record<string, unknown>
  const { connectSession } = scrubbed
  if (typeof connectSession === 'object' && connectSession !== null)
    scrubbed.connectSession = { ...connectSession, tags: {} }
  if (typeof account !== 'object' || account === null) return scrubbed
  const erased = {
    integrationAccountName: '',
    accountIdentifier: null,
    integrationConfiguration: null,
    tags: {},
  }
  return { account: { ...account, ...erased }, ...scrubbed }
}

function mapTexts(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, map))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, map)]))
}
