import assert from 'node:assert/strict'
import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** The public base URL of the test service. */
export const BASE_URL = 'http://localhost:3000'

/** A fetched page. */
export interface FetchedPage {
  readonly url: string
  readonly status: number
  readonly text: string
  /** `text`, unescaped. */
  readonly plain: string
  readonly headers: Headers
  /** The Location header. */
  readonly location: string | undefined
  /** `data-state` of the page. */
  readonly state: string | undefined
  /** An attribute of `<main>`, unescaped. */
  getData(name: string): string | undefined
}

/** A visitor with a cookie jar, over real HTTP. Further headers can be passed. */
export interface TestVisitor {
  readonly jar: Map<string, string>
  get(url: string, headers?: Record<string, string>): Promise<FetchedPage>
  /** Submits the form of a page with the entered values. */
  submit(
    page: FetchedPage,
    entered?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<FetchedPage>
  /** Posts fields to a URL. */
  post(
    url: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<FetchedPage>
}

/** Listens on a free port and returns a factory of visitors. */
export async function listenForVisitors(app: FastifyInstance): Promise<() => TestVisitor> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = app.server.address() as AddressInfo
  return () => createVisitor(`http://127.0.0.1:${port}`)
}

/** A visitor who uses URLs below `publicBaseUrl`, which is served at `realBaseUrl`. */
export function createVisitor(realBaseUrl: string, publicBaseUrl = BASE_URL): TestVisitor {
  const jar = new Map<string, string>()
  const request = async (url: string, init: RequestInit & { headers: Record<string, string> }) => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...(cookie === '' ? {} : { cookie }), ...init.headers }
    const target = url.replace(publicBaseUrl, realBaseUrl)
    assert.ok(target.startsWith(realBaseUrl), `not a URL of the service: ${url}`)
    const response = await fetch(target, { ...init, headers, redirect: 'manual' })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? []
      jar.set(name, value)
    }
    return toFetchedPage(url, response.status, response.headers, await response.text())
  }
  const visitor: TestVisitor = {
    jar,
    get: (url, headers = {}) =>
      request(url.startsWith('/') ? publicBaseUrl + url : url, {
        headers: { ...NAVIGATION_HEADERS, ...headers },
      }),
    submit: (page, entered = {}, headers) => {
      const { action, fields } = extractForm(page)
      return visitor.post(action, { ...fields, ...entered }, headers)
    },
    post: (url, fields, headers = {}) =>
      request(url.startsWith('/') ? publicBaseUrl + url : url, {
        method: 'POST',
        body: new URLSearchParams(fields).toString(),
        headers: { ...FORM_HEADERS, ...headers },
      }),
  }
  return visitor
}

const NAVIGATION_HEADERS = { 'accept-language': 'en' }
const FORM_HEADERS = {
  ...NAVIGATION_HEADERS,
  origin: 'null',
  'sec-fetch-site': 'same-origin',
  'content-type': 'application/x-www-form-urlencoded',
}

function toFetchedPage(url: string, status: number, headers: Headers, text: string): FetchedPage {
  const main = /<main([^>]*)>/.exec(text)?.[1] ?? ''
  const getData = (name: string) => {
    const value = new RegExp(` ${name}="([^"]*)"`).exec(main)?.[1]
    return value === undefined ? undefined : decodeEntities(value)
  }
  const location = headers.get('location')
  return {
    url,
    status,
    text,
    plain: decodeEntities(text),
    headers,
    location: location === null ? undefined : new URL(location, url).href,
    state: getData('data-state'),
    getData: getData,
  }
}

/** Opens a connect session with the button of its first page, also where the form of the only tool does that. */
export async function pressStart(visitor: TestVisitor, url: string): Promise<FetchedPage> {
  const start = await visitor.get(url)
  if (start.state === 'sessionStart') return visitor.submit(start)
  const { visit = '' } = extractForm(start).fields
  const { pathname, search } = new URL(url, BASE_URL)
  return visitor.post(`${pathname}/open${search}`, { visit })
}

/** The action URL and initial values of the submit form. */
export function extractForm({ text }: FetchedPage): {
  action: string
  fields: Record<string, string>
} {
  const form = /<form method="post"[\s\S]*?<\/form>/.exec(text)?.[0]
  assert.ok(form, `no form on the page: ${text.slice(0, 2_000)}`)
  const inputs = [...form.matchAll(/<input([^>]*)>/g)].map((match) => match[1] ?? '')
  const getAttribute = (tag: string, name: string) =>
    decodeEntities(new RegExp(` ${name}="([^"]*)"`).exec(tag)?.[1] ?? '')
  const fields = inputs
    .filter((tag) => !tag.includes('type="checkbox"') || / checked/.test(tag))
    .map((tag): [string, string] => [getAttribute(tag, 'name'), getAttribute(tag, 'value')])
  return { action: getAttribute(form, 'action'), fields: Object.fromEntries(fields) }
}

/** The visible text of a page. */
export function getVisibleText({ text }: FetchedPage): string {
  const main = /<main[\s\S]*<\/main>/.exec(text.replace(/<template[\s\S]*?<\/template>/g, ''))
  return decodeEntities(
    (main?.[0] ?? text)
      .replace(/<\/?bdi>/g, '')
      .replace(/<[^>]*>/g, ' ')
      .replace(/\s+/g, ' '),
  )
}

export function decodeEntities(text: string): string {
  return text
    .replace(/&#(\d+);/g, (_all, code) => String.fromCharCode(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
}
