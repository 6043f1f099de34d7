import { readFile } from 'node:fs/promises'
import type { Provider } from './provider.ts'

/** All providers that can be emulated, as `build-providers.mjs` has written them. */
export async function loadProviders(): Promise<readonly Provider[]> {
  return JSON.parse(await readFile(new URL('../generated/providers.json', import.meta.url), 'utf8'))
}
