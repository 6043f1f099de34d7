import assert from 'node:assert/strict'
import type { FastifyInstance } from 'fastify'

/** The public URL of the service under test. Nothing listens there: requests go through inject(). */
export const BASE_URL = 'http://localhost:3000'

/** A response as the browser sees it. */
export interface BrowserResponse {
  readonly url: string
  readonly status: number
  readonly text: string
  readonly headers: Headers
  readonly location: string | undefined
}

/** A client that stores cookies per host and sends the form headers of browsers. */
export interface Browser {
  /** Cookies by host and name. */
  readonly jar: Map<string, Map<string, string>>
  get(url: string, headers?: Record<string, string>): Promise<BrowserResponse>
  /** Submits the form of the page at `url`. */
  post(
    url: string,
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<BrowserResponse>
  /** Opens the consent page and submits it; returns the authorization URL. */
  begin(pageUrl: string): Promise<string>
  /** Signs in at an oidc-provider and consents; returns the callback URL. */
  signIn(authorizationUrl: string, login?: string): Promise<string>
  /** Runs the flow from the consent page to the final redirect. */
  connect(pageUrl: string, login?: string): Promise<BrowserResponse>
}

export function newBrowser(app: FastifyInstance): Browser {
  const jar = new Map<string, Map<string, string>>()
  const sendRequest = async (
    url: string,
    method: 'GET' | 'POST',
    form?: string,
    extraHeaders = {},
  ) => {
    const cookies = jar.get(new URL(url).host) ?? new Map()
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers: Record<string, string> = {
      ...(cookie === '' ? {} : { cookie }),
      ...(method === 'POST'
        ? {
            origin: 'null',
            'sec-fetch-site': 'same-origin',
            'content-type': 'application/x-www-form-urlencoded',
          }
        : {}),
      ...extraHeaders,
    }
    const response = url.startsWith(BASE_URL)
      ? await inject(app, url, method, headers, form)
      : await fetchOnce(url, method, headers, form)
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? []
      if (value === '') cookies.delete(name)
      else cookies.set(name, value)
    }
    jar.set(new URL(url).host, cookies)
    const location = response.headers.get('location')
    return {
      ...response,
      url,
      location: location === null ? undefined : new URL(location, url).href,
    }
  }
  const browser: Browser = {
    jar,
    get: (url, headers) => sendRequest(url, 'GET', undefined, headers),
    post: (url, fields = {}, headers = {}) =>
      sendRequest(url, 'POST', new URLSearchParams(fields).toString(), headers),
    async begin(pageUrl) {
      const page = await browser.get(pageUrl)
      assert.equal(page.status, 200)
      const { status, location, text } = await browser.post(pageUrl, readViewField(page))
      assert.equal(status, 303, text)
      assert.ok(location)
      return location
    },
    signIn: (authorizationUrl, login = 'alice') => signIn(browser, authorizationUrl, login),
    async connect(pageUrl, login) {
      return browser.get(await browser.signIn(await browser.begin(pageUrl), login))
    },
  }
  return browser
}

/** Reads the `view` field of the consent form. */
export function readViewField({ text }: Pick<BrowserResponse, 'text'>): { view: string } {
  return { view: /name="view" value="([\w-]{43})"/.exec(text)?.[1] ?? assert.fail(text) }
}

async function signIn(browser: Browser, authorizationUrl: string, login: string): Promise<string> {
  let url = authorizationUrl
  for (let steps = 0; steps < 16; steps += 1) {
    if (url.startsWith(BASE_URL)) return url
    let response = await browser.get(url)
    if (response.status === 200) {
      const action = /action="([^"]+)"/.exec(response.text)?.[1]
      const prompt = /name="prompt" value="([^"]+)"/.exec(response.text)?.[1]
      assert.ok(action && prompt, `no form on the page: ${response.text.slice(0, 300)}`)
      response = await browser.post(new URL(action, url).href, { prompt, login, password: 'any' })
    }
    assert.ok(
      response.location,
      `status ${response.status} at ${url}: ${response.text.slice(0, 500)}`,
    )
    url = response.location
  }
  throw new Error('the provider never sent the browser back')
}

type RawResponse = Pick<BrowserResponse, 'status' | 'text' | 'headers'>

async function inject(
  app: FastifyInstance,
  url: string,
  method: 'GET' | 'POST',
  headers: Record<string, string>,
  payload = '',
): Promise<RawResponse> {
  const response = await app.inject({
    method,
    url: url.slice(BASE_URL.length),
    headers,
    ...(method === 'POST' ? { payload } : {}),
  })
  const responseHeaders = new Headers()
  for (const [name, value] of Object.entries(response.headers))
    for (const headerValue of [value].flat()) responseHeaders.append(name, String(headerValue))
  return { status: response.statusCode, text: response.body, headers: responseHeaders }
}

async function fetchOnce(
  url: string,
  method: string,
  headers: Record<string, string>,
  form?: string,
): Promise<RawResponse> {
  const body = method === 'POST' ? { body: form ?? '' } : {}
  const response = await fetch(url, { method, headers, ...body, redirect: 'manual' })
  return { status: response.status, text: await response.text(), headers: response.headers }
}
