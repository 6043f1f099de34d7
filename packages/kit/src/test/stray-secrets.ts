import type { Config } from '../run/fill.ts'
import type { Asked } from './provider.ts'
import type { Wanted } from './sent-as.ts'

/**
 * Headers and parameters of a request that hold the credential, though the provider wants it elsewhere: there it ends
 * up in logs.
 */
export function straySecrets(
  { method, url, headers }: Asked,
  wanted: readonly Wanted[],
  { secret, token }: Config,
): string[] {
  const values = [secret, token].map(String).filter((value) => value.length >= SHORTEST)
  const isIn = (text: string) =>
    values.some((value) => text.includes(value) || text.includes(encodeURIComponent(value)))
  const isWanted = (where: string, name: string) =>
    wanted.some((each) => each.where === where && each.name.toLowerCase() === name.toLowerCase())
  const places = [
    ...[...url.searchParams].map(([name, value]) => ['query', name, value] as const),
    ...Object.entries(headers).map(([name, value]) => ['header', name, String(value)] as const),
  ]
  return places
    .filter(([where, name, value]) => isIn(value) && !isWanted(where, name))
    .map(
      ([where, name]) => `${method} ${url.pathname} sends the credential as ${where} ${name} too`,
    )
}

/** Shorter ones could be there by chance. */
const SHORTEST = 8
