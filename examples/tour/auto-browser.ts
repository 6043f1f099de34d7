import { expectThat } from './expect-that.ts'

/**
 * Stands in for a person with a browser: opens `url`, follows redirects with cookies kept per host, and presses the
 * first button of each page until a page has none. Tells each page and button to `print`.
 *
 * @throws Surprise at a page that is no success, or after too many of them
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
    expectThat(page.status === 200, `The page "${title}" answered ${page.status}.`)
    const button = /<form\b.*?<button\b([^>]*)>(.*?)<\/button>/s.exec(page.html)
    if (button === null) return print(`   browser: "${title}"`)
    print(`   browser: "${title}" → [${(button[2] ?? '').replace(/<[^>]*>/g, '')}]`)
    const [name, value] = ['name', 'value'].map((of) => attribute(button[1] ?? '', of))
    const form = new URLSearchParams(name ? { [name]: value ?? '' } : {})
    page = await open(jar, page.url, signal, form)
  }
  expectThat(false, 'The browser met page after page and never came back.')
}

/** Cookies by host, port included, and name. */
type CookieJar = Map<string, Map<string, string>>

interface LoadedPage {
  /** Where the redirects ended. */
  readonly url: string
  readonly status: number
  readonly html: string
}

const MAX_PAGES = 8
const MAX_REDIRECTS = 8

/** With a form it is sent as browsers do it: POST first, GET wherever that leads. */
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
  throw new Error('The browser was sent on and on.')
}

function attribute(attributes: string, name: string): string | undefined {
  return new RegExp(`\\b${name}="([^"]*)"`).exec(attributes)?.[1]
}
