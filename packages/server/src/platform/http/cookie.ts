import type { FastifyRequest } from 'fastify'

/** The value of a cookie of this service; undefined when the request has none or several of that name. */
export function readCookie(
  { headers }: FastifyRequest,
  name: string,
  baseUrl: string,
): string | undefined {
  const cookieName = getPrefixedName(name, baseUrl)
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .filter(([key]) => key === cookieName)
    .map(([, value]) => value ?? '')
  return values.length === 1 ? values[0] : undefined
}

/** A `Set-Cookie` value. The browser sends the cookie to this host only, and not with cross-site subrequests. */
export function serializeCookie(
  name: string,
  value: string,
  { seconds, baseUrl }: { readonly seconds: number; readonly baseUrl: string },
): string {
  const secure = isHttps(baseUrl) ? '; Secure' : ''
  return `${getPrefixedName(name, baseUrl)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

/** With the `__Host-` prefix, browsers accept the cookie only from this exact host, over https. */
function getPrefixedName(name: string, baseUrl: string): string {
  return isHttps(baseUrl) ? `__Host-${name}` : name
}

function isHttps(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}
