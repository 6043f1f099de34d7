import type { Context, Init } from '../context.ts'
import type { Definition } from '../definition.ts'
import { baseUrlOf, defaultsOf, kindOf } from './chosen.ts'
import { type Config, fillDeep, fillUrl, firstName } from './fill.ts'
import { isListed } from './host-list.ts'
import { type JudgeContext, judge } from './judge.ts'
import { refuse } from './refusal.ts'
import { createSend, createSendPlain, type SendDeps, USUAL } from './send.ts'

/** A context, with internals that only the commands use. */
export interface RunContext extends Context<Config> {
  /** The headers that authenticate a call. A response is a rejected login. */
  headers(): Promise<Readonly<Record<string, string>> | Response>
}

/** A rejected login, converted to a check result later. */
export class LoginRefused extends Error {
  readonly response: Response

  constructor(response: Response) {
    super('The login was refused.')
    this.response = response
  }
}

/** The dependencies of a command: configuration, credentials and requests to the provider. */
export function createContext(
  definition: Definition,
  given: Config,
  deps: Omit<SendDeps, 'name' | 'typedHost'>,
): RunContext {
  const { name, hosts } = definition
  const authType = String(given.authType)
  const kind = kindOf(definition, authType)
  const config: Config = { ...defaultsOf(definition, authType), ...given }
  const base = baseUrlOf(definition, authType)
  const named = firstName(base)
  // Values of the token response cannot be overridden.
  const field = { ...definition.inputs, ...kind.fields }[named ?? '']
  const about: JudgeContext = { name, blames: kind.blames, hostField: field && named }
  const typedHost = field && !('enum' in field.property) ? named : undefined
  const send = createSend({ ...deps, name, typedHost })
  const values = async (): Promise<Config | Response> => {
    const more = await kind.logIn?.(config, createSendPlain(send))
    return more instanceof Response ? more : { ...config, ...more }
  }
  let loggedIn: ReturnType<typeof values> | undefined
  const credentials = async () => {
    loggedIn ??= values()
    const filled = await loggedIn
    if (filled instanceof Response) throw new LoginRefused(filled)
    const own =
      typeof definition.headers === 'function'
        ? definition.headers(config as never)
        : definition.headers
    return fillDeep({ ...kind.credentials, own: own ?? {} }, filled)
  }
  const isOurs = (url: URL) =>
    hosts === 'any'
      ? url.origin === new URL(fillUrl(base, config)).origin
      : url.protocol === 'https:' && isListed(url.hostname, hosts)
  return {
    config,
    authType,
    fetch: async (pathOrUrl: string, { query, json, form, ...init }: Init = {}) => {
      const whole = /^(https?:|\$\{)/.test(pathOrUrl)
        ? pathOrUrl
        : base.replace(/\/+$/, '') + pathOrUrl
      const url = new URL(fillUrl(whole, config))
      const { headers, query: secret, own } = isOurs(url) ? await credentials() : {}
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
          ...USUAL,
          ...(body !== undefined && { 'Content-Type': type }),
          ...own,
          ...Object.fromEntries(new Headers(init.headers)),
          ...headers,
        },
      })
    },
    judge: (response, expectation = {}) => judge(response, expectation, about),
    refuse: (code, detail) => refuse(name, code, detail),
    async headers() {
      const { headers, own } = await credentials()
      return { ...own, ...headers }
    },
  }
}
