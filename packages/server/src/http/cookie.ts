import type { FastifyRequest } from 'fastify'

/** The value of a cookie of ours; undefined when the browser brings none of that name, or several. */
export function readCookie(
  { headers }: FastifyRequest,
  name: string,
  baseUrl: string,
): string | undefined {
  const cookieName = prefixedName(name, baseUrl)
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .filter(([key]) => key === cookieName)
    .map(([, value]) => value ?? '')
  return values.length === 1 ? values[0] : undefined
}

/** The line that sets a cookie which only this host gets back, with navigations of the person's own. */
export function serializeCookie(
  name: string,
  value: string,
  { seconds, baseUrl }: { readonly seconds: number; readonly baseUrl: string },
): string {
  const secure = isHttps(baseUrl) ? '; Secure' : ''
  return `${prefixedName(name, baseUrl)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

/** The prefix makes browsers refuse the cookie from anywhere but this very host, over https. */
function prefixedName(name: string, baseUrl: string): string {
  return isHttps(baseUrl) ? `__Host-${name}` : name
}

function isHttps(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}
