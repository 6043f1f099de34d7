import { type Entry, interpretEntry } from '@linchpin/kit/entry'
import type { DeclaredIntegration } from '@linchpin/runner'
import type { CatalogueEntry } from './catalogue-entry.ts'

/** Finds the integrations of a catalogue that run without a sandbox, by the digests of their bundles. */
export function createFindDeclared(
  integrations: readonly CatalogueEntry[],
): (sha256: string) => DeclaredIntegration | undefined {
  const entries = new Map<string, Entry>()
  for (const { versions } of integrations)
    for (const { sha256, entry } of versions) if (entry !== undefined) entries.set(sha256, entry)
  const interpreted = new Map<string, DeclaredIntegration | undefined>()
  return (sha256) => {
    const entry = entries.get(sha256)
    if (entry === undefined) return undefined
    if (!interpreted.has(sha256)) interpreted.set(sha256, interpretEntry(entry))
    return interpreted.get(sha256)
  }
}
