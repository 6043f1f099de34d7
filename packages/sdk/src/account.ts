import type { AccountCredentials } from './api-types.ts'
import { isLinchpinError, readError } from './errors.ts'
import { encodeId } from './path.ts'
import type { Fetch, SendSettings } from './send.ts'

/** An access token of the provider. */
export interface AccessToken {
  readonly accessToken: string
  /** When it expires; undefined if that is unknown. */
  readonly expiresAt: Date | undefined
}

export interface AccountDeps {
  readonly settings: SendSettings
  getCredentials(integrationAccountId: string): Promise<AccountCredentials>
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])
const MAX_REDIRECTS = 10

/** A connected account: requests to its provider with its credentials, which remain in the service. */
export class Account {
  readonly integrationAccountId: string
  /** The base URL of the provider's API for clients that take a base URL and a key: the key is a token of Linchpin. */
  readonly proxyUrl: string
  readonly #deps: AccountDeps

  /** @throws TypeError for an ID that is empty */
  constructor(deps: AccountDeps, integrationAccountId: string) {
    this.#deps = deps
    this.integrationAccountId = integrationAccountId
    this.proxyUrl = `${deps.settings.apiUrl}/integration_account/${encodeId(integrationAccountId)}/proxy`
  }

  /**
   * `fetch` as the account: of a path of the provider's API, such as `/tickets`, or of a whole URL of the provider. Returns
   * the provider's response, whatever its status. Redirects of GET and HEAD are followed to hosts of the provider. It is
   * bound to the account, so it can be passed to libraries. Like `fetch`, it does not retry.
   *
   * @throws LinchpinError when the response is not the provider's, such as `needs_reauth`
   * @throws TypeError for a path that leaves the API, and as `fetch`
   */
  readonly fetch: Fetch = async (input, init) => {
    let target = input instanceof Request ? input.url : String(input)
    let request = this.#createRequest(target, input, init)
    const redirect = init?.redirect ?? (input instanceof Request ? input.redirect : 'follow')
    let response = await this.#send(request)
    if (redirect === 'error' && REDIRECTS.has(response.status))
      throw new TypeError('The provider redirects the request.')
    for (let count = 0; redirect === 'follow' && count < MAX_REDIRECTS; count++) {
      const next = findRedirect(request, target, response)
      if (next === undefined) break
      target = next
      request = this.#createRequest(target, request, {})
      try {
        response = await this.#send(request)
      } catch (error) {
        // The account has no access to this host. The caller has the redirect, and decides.
        if (isLinchpinError(error, 'proxy_target_not_allowed')) break
        throw error
      }
    }
    return response
  }

  /**
   * A function that returns a valid access token, refreshed if necessary, for libraries that need one. Requires the
   * scope `credentials:read`. It throws a TypeError for an account without access token, such as one with an API key.
   */
  tokenProvider(): () => Promise<AccessToken> {
    return async () => {
      const { config, expiresAt } = await this.#deps.getCredentials(this.integrationAccountId)
      const { access_token: accessToken } = config
      if (typeof accessToken !== 'string')
        throw new TypeError('The account has no access token. Send its requests with fetch().')
      return { accessToken, expiresAt: expiresAt ? new Date(expiresAt) : undefined }
    }
  }

  #createRequest(
    target: string,
    input: string | URL | Request,
    init: RequestInit | undefined,
  ): Request {
    const url = this.#toProxyUrl(target)
    // A redirect that is followed by `fetch` itself would lead to the provider without credentials.
    const options: RequestInit = { ...init, redirect: 'manual' }
    return input instanceof Request
      ? new Request(new Request(url, input), options)
      : new Request(url, options)
  }

  async #send(request: Request): Promise<Response> {
    request.headers.set('authorization', this.#deps.settings.authorization)
    const response = await this.#deps.settings.fetch(request)
    if (response.headers.get('linchpin-proxy') === 'provider') return response
    throw await readError(response)
  }

  /** @throws TypeError for a path that leaves the API of the provider, and for an invalid URL */
  #toProxyUrl(target: string): string {
    const text = /^https?:/i.test(target) ? new URL(target).href : target.replace(/^\/+/, '')
    const { href } = new URL(`${this.proxyUrl}/${text}`)
    if (href.startsWith(`${this.proxyUrl}/`)) return href
    throw new TypeError('The path leaves the API of the provider.')
  }
}

/** The target of a redirect of GET or HEAD. A relative one can only be resolved if the request had a whole URL. */
function findRedirect(
  { method }: Request,
  target: string,
  { status, headers }: Response,
): string | undefined {
  const location = headers.get('location')
  if (!REDIRECTS.has(status) || location === null || !/^(?:GET|HEAD)$/.test(method))
    return undefined
  try {
    return new URL(location, /^https?:/i.test(target) ? target : undefined).href
  } catch {
    return undefined
  }
}
