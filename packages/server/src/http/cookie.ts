import type { FastifyRequest } from 'fastify'

/** The value of a cookie; undefined when the browser brings none of that name, or several. */
export function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  const found = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim().split('='))
    .filter(([key]) => key === name)
    .map(([, value]) => value ?? '')
  return found.length === 1 ? found[0] : undefined
}

/** The line of a cookie that only this host gets back, with navigations of the person's own. */
export function cookieLine(
  name: string,
  value: string,
  { seconds, isSecure }: { readonly seconds: number; readonly isSecure: boolean },
): string {
  const secure = isSecure ? '; Secure' : ''
  return `${name}=${value}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=Lax${secure}`
}
