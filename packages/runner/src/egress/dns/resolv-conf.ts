/** The settings of `/etc/resolv.conf` for names. c-ares reads its servers. */
export interface ResolvConf {
  /** Domains that are appended to a short name. */
  readonly search: readonly string[]
  /** A name with at least this many dots is first tried unchanged. */
  readonly ndots: number
  /** The whole text: a changed text requires another c-ares channel. */
  readonly text: string
}

/** Parses `search`, `domain` (the last one applies) and `options ndots:` of resolv.conf(5). */
export function parseResolvConf(text: string): ResolvConf {
  let search: readonly string[] = []
  let ndots = 1
  for (const line of text.split('\n')) {
    const [keyword, ...values] = line
      .replace(/[#;].*$/, '')
      .trim()
      .split(/\s+/)
    if (keyword === 'search' || keyword === 'domain') search = values.slice(0, MAX_SEARCH_DOMAINS)
    if (keyword !== 'options') continue
    for (const value of values) {
      const ndotsText = /^ndots:(\d{1,3})$/.exec(value)?.[1]
      if (ndotsText !== undefined) ndots = Math.min(Number(ndotsText), MAX_NDOTS)
    }
  }
  const domains = search.map((domain) => domain.toLowerCase().replace(/^\.+|\.+$/g, ''))
  return { search: domains.filter((domain) => domain !== ''), ndots, text }
}

/** The names to query in turn, in the order of the system's resolver. */
export function listCandidateNames(host: string, { search, ndots }: ResolvConf): readonly string[] {
  const dots = host.split('.').length - 1
  const searchNames = search.map((domain) => `${host}.${domain}`)
  return dots >= ndots ? [host, ...searchNames] : [...searchNames, host]
}

const MAX_SEARCH_DOMAINS = 6
const MAX_NDOTS = 15
