import type { Context, RequestOptions } from '../context.ts'
import type { Definition } from '../definition.ts'
import { refuse } from '../spec/check-failure.ts'
import { type Config, fillDeep, fillUrl, getFirstFieldName } from '../values/fill.ts'
import { checkResponse, type ResponseContext } from './check-response.ts'
import { getAuthMethod, getBaseUrl, getDefaults } from './get-auth-method.ts'
import { isListed } from './host-list.ts'
import { createSend, createSendRequest, DEFAULT_HEADERS, type SendDeps } from './send.ts'

/** A context, with internals that only the commands use. */
export interface RunContext extends Context<Config> {
  /** The headers that authenticate a call. A response is a rejected login. */
  headers(): Promise<Readonly<Record<string, string>> | Response>
}

/** A rejected login, converted to a check result later. */
export class LoginRejected extends Error {
  readonly response: Response

  constructor(response: Response) {
    super('The login was rejected.')
    this.response = response
  }
}

/** The dependencies of a command: configuration, credentials and requests to the provider. */
export function createContext(
  definition: Definition,
  given: Config,
  deps: Omit<SendDeps, 'name' | 'hostField'>,
): RunContext {
  const { name, hosts } = definition
  const authType = String(given.authType)
  const authMethod = getAuthMethod(definition, authType)
  const config: Config = { ...getDefaults(definition, authType), ...given }
  const base = getBaseUrl(definition, authType)
  const named = getFirstFieldName(base)
  // Values of the token response cannot be overridden.
  const field = { ...definition.inputs, ...authMethod.fields }[named ?? '']
  const responseContext: ResponseContext = {
    name,
    credentialField: authMethod.credentialField,
    hostField: field && named,
  }
  const hostField = field && !('enum' in field.property) ? named : undefined
  const send = createSend({ ...deps, name, hostField })
  const values = async (): Promise<Config | Response> => {
    const loginValues = await authMethod.logIn?.(config, createSendRequest(send))
    return loginValues instanceof Response ? loginValues : { ...config, ...loginValues }
  }
  let loggedIn: ReturnType<typeof values> | undefined
  const credentials = async () => {
    loggedIn ??= values()
    const filled = await loggedIn
    if (filled instanceof Response) throw new LoginRejected(filled)
    const own =
      typeof definition.headers === 'function'
        ? definition.headers(config as never)
        : definition.headers
    return fillDeep({ ...authMethod.credentials, own: own ?? {} }, filled)
  }
  const isDeclaredHost = (url: URL) =>
    hosts === 'any'
      ? url.origin === new URL(fillUrl(base, config)).origin
      : url.protocol === 'https:' && isListed(url.hostname, hosts)
  return {
    config,
    authType,
    fetch: async (pathOrUrl: string, { query, json, form, ...init }: RequestOptions = {}) => {
      const whole = /^(https?:|\$\{)/.test(pathOrUrl)
        ? pathOrUrl
        : base.replace(/\/+$/, '') + pathOrUrl
      const url = new URL(fillUrl(whole, config))
      const { headers, query: secret, own } = isDeclaredHost(url) ? await credentials() : {}
      for (const [key, value] of Object.entries({ ...secret, ...query }))
        url.searchParams.set(key, value)
      const body =
        json === undefined ? form && new URLSearchParams(form).toString() : JSON.stringify(json)
      const type = form ? 'application/x-www-form-urlencoded' : 'application/json'
      return send(url.href, {
        method: body === undefined ? 'GET' : 'POST',
        ...(body !== undefined && { body }),
        ...init,
        headers: {
          ...DEFAULT_HEADERS,
          ...(body !== undefined && { 'Content-Type': type }),
          ...own,
          ...Object.fromEntries(new Headers(init.headers)),
          ...headers,
        },
      })
    },
    checkResponse: (response, expectation = {}) =>
      checkResponse(response, expectation, responseContext),
    refuse: (code, detail) => refuse(name, code, detail),
    async headers() {
      const { headers, own } = await credentials()
      return { ...own, ...headers }
    },
  }
}
