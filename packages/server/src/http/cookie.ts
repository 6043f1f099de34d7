import type { FastifyRequest } from 'fastify'

/** The value of a cookie of ours; undefined when the browser brings none of that name, or several. */
export function readCookie(
  { headers }: FastifyRequest,
  name: string,
  baseUrl: string,
): string | undefined {
  const full = fullName(name, baseUrl)
  const found = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .filter(([key]) => key === full)
    .map(([, value]) => value ?? '')
  return found.length === 1 ? found[0] : undefined
}

/** The line that sets a cookie which only this host gets back, with navigations of the person's own. */
export function cookieLine(
  name: string,
  value: string,
  { seconds, baseUrl }: { readonly seconds: number; readonly baseUrl: string },
): string {
  const secure = isHttps(baseUrl) ? '; Secure' : ''
  return `${fullName(name, baseUrl)}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`
}

/** The prefix makes browsers refuse the cookie from anywhere but this very host, over https. */
function fullName(name: string, baseUrl: string): string {
  return isHttps(baseUrl) ? `__Host-${name}` : name
}

function isHttps(baseUrl: string): boolean {
  return baseUrl.startsWith('https:')
}
