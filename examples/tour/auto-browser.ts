import { expectThat } from './expect-that.ts'

/**
 * Simulates a person with a browser: opens `url`, follows redirects with cookies per host, and presses the first button
 * of each page until a page has none. Prints each page and button.
 *
 * @throws UnexpectedResult for a page whose status is not 200, or after too many pages
 */
export async function clickThrough(
  url: string,
  print: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const jar: CookieJar = new Map()
  let page = await open(jar, url, signal)
  for (let pages = 0; pages < MAX_PAGES; pages += 1) {
    const title = /<title>([^<]*)/.exec(page.html)?.[1] ?? '(no title)'
    expectThat(page.status === 200, `The page "${title}" has status ${page.status}.`)
    const button = /<form\b.*?<button\b([^>]*)>(.*?)<\/button>/s.exec(page.html)
    if (button === null) return print(`   browser: "${title}"`)
    print(`   browser: "${title}" → [${(button[2] ?? '').replace(/<[^>]*>/g, '')}]`)
    const [name, value] = ['name', 'value'].map((attributeName) =>
      getAttribute(button[1] ?? '', attributeName),
    )
    const form = new URLSearchParams(name ? { [name]: value ?? '' } : {})
    page = await open(jar, page.url, signal, form)
  }
  expectThat(false, 'The browser loaded too many pages without returning.')
}

/** Cookies by host (with port) and name. */
type CookieJar = Map<string, Map<string, string>>

interface LoadedPage {
  /** The URL after all redirects. */
  readonly url: string
  readonly status: number
  readonly html: string
}

const MAX_PAGES = 8
const MAX_REDIRECTS = 8

/** Sends a form as browsers do: POST first, then GET for every redirect. */
async function open(
  jar: CookieJar,
  start: string,
  signal: AbortSignal,
  form?: URLSearchParams,
): Promise<LoadedPage> {
  let url = new URL(start)
  for (let hops = 0; hops <= MAX_REDIRECTS; hops += 1) {
    const cookies = jar.get(url.host) ?? new Map<string, string>()
    jar.set(url.host, cookies)
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const isPost = form !== undefined && hops === 0
    const response = await fetch(url, {
      redirect: 'manual',
      signal,
      headers: { ...(cookie ? { cookie } : {}), ...(isPost ? { origin: url.origin } : {}) },
      ...(isPost ? { method: 'POST', body: form } : {}),
    })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    const html = await response.text()
    const location = response.headers.get('location')
    if (location === null) return { url: url.href, status: response.status, html }
    url = new URL(location, url)
  }
  throw new Error('The browser was redirected too many times.')
}

function getAttribute(attributes: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1]
}
