import { type Answer, type ProviderRequest, readParams } from './exchange.ts'
import { answer, type SignInContext, type SignInMethod } from './sign-in.ts'
import { toUrlPattern, withoutQuery } from './url-pattern.ts'

/** RFC 7009: the response is the same whether the token was known. Other providers have the token elsewhere in the request. */
export function revokeToken(
  { grants }: SignInContext,
  request: ProviderRequest,
  methods: readonly SignInMethod[],
): Answer {
  const sent = `${request.url.href} ${request.headers.authorization ?? ''} ${request.body}`
  const [token = ''] = /emulated-(?:access|refresh)-[\w-]+/.exec(sent) ?? []
  const grant = grants.revoke(token)
  const method =
    methods.find(({ provider }) => provider.key === grant?.key) ?? (methods[0] as SignInMethod)
  const { revocations, revokesGrant } = method.signIn
  if (grant !== undefined && revokesGrant) grant.isEnded = true
  const url = withoutQuery(request.url.href)
  const found = revocations.find(
    (each) => each.method === request.method && toUrlPattern(each.url).test(url),
  )
  if (found === undefined) return answer('revoke', method, { status: 405, body: {} })
  return answer('revoke', method, found.good, [
    ...(token === '' ? ['the revocation has no token'] : []),
    ...findOtherNames(method, request),
  ])
}

/** Parameters that the provider calls something else. */
function findOtherNames({ signIn }: SignInMethod, request: ProviderRequest): string[] {
  const sent = readParams(request)
  return Object.entries(signIn.paramNames)
    .filter(([standard]) => Object.hasOwn(sent, standard))
    .map(([standard, name]) => `the revocation has ${standard} instead of ${name}`)
}
