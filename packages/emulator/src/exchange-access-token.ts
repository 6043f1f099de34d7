import { isAccepted } from './credentials.ts'
import type { Answer, ProviderRequest } from './exchange.ts'
import type { Grant } from './grants.ts'
import { answer, fail, issueTokens, type SignInContext, type SignInMethod } from './sign-in.ts'
import { toUrlPattern, withoutQuery } from './url-pattern.ts'

/** Exchanges an access token for one that lives longer. The old one stays valid until it expires. */
export function exchangeAccessToken(
  { grants }: SignInContext,
  request: ProviderRequest,
  methods: readonly SignInMethod[],
): Answer {
  const sent = request.url.searchParams
  const grant = [...sent.values()]
    .map((value) => grants.find('access', value))
    .find((each) => each !== undefined)
  const method =
    methods.find(
      ({ provider, authType }) => provider.key === grant?.key && authType === grant.authType,
    ) ?? (methods[0] as SignInMethod)
  if (grant === undefined)
    return answer('exchange', method, fail('invalid_grant', 'The token is unknown or expired.'))
  const problem = findProblem(method, request, grant, (value) => grants.find('access', value))
  if (problem !== undefined) return answer('exchange', method, fail('invalid_request', problem))
  grant.isExchanged = true
  const { refreshed, separator } = method.signIn
  return answer('exchange', method, issueTokens(grants, grant, refreshed, separator))
}

/** The request must be the documented one: exactly its parameters. */
function findProblem(
  { signIn }: SignInMethod,
  { url }: ProviderRequest,
  grant: Grant,
  findGrant: (token: string) => Grant | undefined,
): string | undefined {
  const { first, next } = signIn.exchanges ?? {}
  const expected = grant.isExchanged ? next : first
  if (expected === undefined || !toUrlPattern(expected.url).test(withoutQuery(url.href)))
    return `This is not the endpoint for ${grant.isExchanged ? 'a token that was exchanged' : 'a first token'}.`
  const isRight: Readonly<Record<string, (value: string) => boolean>> = {
    '${access_token}': (value) => findGrant(value) === grant,
    '${client_id}': (value) => value === grant.clientId,
    '${client_secret}': (value) => value !== '' && isAccepted(value),
  }
  const wrong = Object.entries(expected.params).find(([name, template]) => {
    const value = url.searchParams.get(name)
    return value === null || !(isRight[template]?.(value) ?? value === template)
  })
  if (wrong !== undefined) return `The parameter ${wrong[0]} must be ${wrong[1]}.`
  const other = [...url.searchParams.keys()].find((name) => !Object.hasOwn(expected.params, name))
  return other === undefined ? undefined : `The parameter ${other} is unknown.`
}
